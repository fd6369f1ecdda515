package main

import (
	"bufio"
	"encoding/json"
	"log"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"time"

	"github.com/weirhq/weir/bench/noop"
)

// serveNothing is this program as a process of its own, which answers as weir does and
// decides nothing. Arguments are the address and what else the kind wants.
func serveNothing(kind string, arguments []string) {
	listener, err := net.Listen("tcp", arguments[0])
	if err != nil {
		log.Fatal(err)
	}
	switch kind {
	case "http":
		log.Fatal(serveHTTP(listener, repeat(arguments[1])))
	case "resp":
		log.Fatal(serveRESP(listener))
	case "grpc":
		log.Fatal(noop.ServeRLS(listener))
	}
}

// serveHTTP bounds clients, and has as little garbage collected, as weir does, so that
// what differs is the deciding.
func serveHTTP(l net.Listener, h http.Handler) error {
	headroom := make([]byte, 32<<20)
	defer runtime.KeepAlive(headroom)
	s := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute}
	return s.Serve(l)
}

// repeat answers 200 with these fields.
func repeat(text string) http.Handler {
	var fields http.Header
	if err := json.Unmarshal([]byte(text), &fields); err != nil {
		log.Fatal(err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		header := w.Header()
		for name, values := range fields {
			header[name] = values
		}
		w.WriteHeader(http.StatusOK)
	})
}

// serveRESP is a goroutine for each connection on bufio. It reads every word of a
// command and answers five integers; all that has arrived together is answered
// together.
func serveRESP(l net.Listener) error {
	for {
		conn, err := l.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer conn.Close()
			r, w := bufio.NewReaderSize(conn, 8<<10), bufio.NewWriterSize(conn, 8<<10)
			for {
				if err := readCommand(r); err != nil {
					return
				}
				w.WriteString("*5\r\n:0\r\n:1000001\r\n:1000000\r\n:-1\r\n:3600\r\n")
				if r.Buffered() == 0 && w.Flush() != nil {
					return
				}
			}
		}()
	}
}

func readCommand(r *bufio.Reader) error {
	count, err := readLength(r)
	for range count {
		n, err := readLength(r)
		if err != nil {
			return err
		}
		if _, err := r.Discard(n + 2); err != nil {
			return err
		}
	}
	return err
}

func readLength(r *bufio.Reader) (int, error) {
	line, err := r.ReadSlice('\n')
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(string(line[1 : len(line)-2]))
}
