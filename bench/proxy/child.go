package main

import (
	"bufio"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
)

const (
	answerBody = `{"results":["a small dam that measures a river"],"next":null,"took_ms":1}`
	answer     = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nDate: Tue, 01 Dec 2026 09:00:00 GMT\r\nContent-Length: 73\r\n\r\n" + answerBody
)

// child is this program as a process of its own: the upstream, or a proxy of Go's
// standard library.
func child(args []string) {
	listener, err := net.Listen("tcp", args[1])
	if err != nil {
		log.Fatal(err)
	}
	switch args[0] {
	case "upstream":
		upstream(listener)
	case "httputil", "tuned":
		target, err := url.Parse(args[2])
		if err != nil {
			log.Fatal(err)
		}
		proxy := httputil.NewSingleHostReverseProxy(target)
		if args[0] == "tuned" {
			tune(proxy)
		}
		log.Fatal(http.Serve(listener, proxy))
	}
}

// tune does what a careful user of httputil does.
func tune(proxy *httputil.ReverseProxy) {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.Proxy, t.MaxIdleConns, t.MaxIdleConnsPerHost, t.DisableCompression = nil, 1024, 1024, true
	proxy.Transport, proxy.BufferPool = t, &buffers{}
}

type buffers struct{ sync.Pool }

func (b *buffers) Get() []byte {
	if one, ok := b.Pool.Get().(*[32 << 10]byte); ok {
		return one[:]
	}
	return make([]byte, 32<<10)
}

func (b *buffers) Put(one []byte) { b.Pool.Put((*[32 << 10]byte)(one)) }

// upstream answers without a thought, so that little of what is measured is its
// own: a server of net/http would be most of it.
func upstream(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			log.Fatal(err)
		}
		go func() {
			defer c.Close()
			lines := bufio.NewReader(c)
			for {
				line, err := lines.ReadSlice('\n')
				if err != nil {
					return
				}
				if len(line) > 2 {
					continue
				}
				if _, err := c.Write([]byte(answer)); err != nil {
					return
				}
			}
		}()
	}
}
