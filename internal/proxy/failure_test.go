package proxy

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// briefly is a timeout that a test waits out.
func briefly(o *Options, _ *http.Server) { o.Timeout = 50 * time.Millisecond }

// An upstream that fails is a problem of ours, of which the client is told no
// more than that; the log has the cause.
func TestUpstreamFails(t *testing.T) {
	hangsUp := script(t, func(u net.Conn) { http.ReadRequest(bufio.NewReader(u)) })
	for _, c := range []struct {
		name, upstream string
		status         int
		log            string
	}{
		{"hangs up", hangsUp, 502, "EOF"},
		{"is not there", "http://127.0.0.1:1", 502, "connection refused"},
		{"has no address", "http://nowhere.invalid", 502, "nowhere.invalid"},
		{"speaks no TLS", strings.Replace(serve(t, nil), "http:", "https:", 1), 502, "TLS"},
		{"is silent", script(t, func(u net.Conn) { io.Copy(io.Discard, u) }), 504, "timeout"},
	} {
		t.Run(c.name, func(t *testing.T) {
			adjust := func(*Options, *http.Server) {}
			if c.status == 504 {
				adjust = briefly // else a slow machine makes a 504 of any
			}
			r := start(t, wide, c.upstream, adjust)
			a, body := r.do(t, "GET", "/", nil, nil)
			if a.StatusCode != c.status || a.Header.Get("Content-Type") != "application/problem+json" || a.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%d %v", a.StatusCode, a.Header)
			}
			if strings.Contains(body, "127.0.0.1") || strings.Contains(body, "dial") || strings.Contains(body, "EOF") {
				t.Errorf("the client is told %s", body)
			}
			if len(a.Header["X-Ratelimit-Limit"]) != 1 {
				t.Errorf("it was counted, and is not told: %v", a.Header)
			}
			if log := r.log.String(); !strings.Contains(log, c.log) || !strings.Contains(log, fmt.Sprint("status=", c.status)) {
				t.Errorf("log: %s", log)
			}
		})
	}
}

// An upstream that is down is one line a second, not one a request.
func TestFailuresDoNotFloodTheLog(t *testing.T) {
	r := start(t, wide, "http://127.0.0.1:1")
	begun := time.Now()
	for range 50 {
		r.do(t, "GET", "/", nil, nil)
	}
	most := int(time.Since(begun).Seconds()) + 1
	if n := strings.Count(r.log.String(), "\n"); n < 1 || n > most {
		t.Errorf("%d lines: %s", n, r.log)
	}
}

// One request that was admitted is one that the upstream gets: none is sent again
// where its connection ends without an answer, even if HTTP would allow it. The
// first request of a connection is answered, so that the second finds it in use.
func TestNothingIsSentTwice(t *testing.T) {
	for _, c := range []struct {
		method string
		header http.Header
		body   string
	}{
		{"GET", nil, ""}, {"HEAD", nil, ""}, {"OPTIONS", nil, ""}, {"POST", nil, ""}, {"POST", nil, "x"}, {"PUT", nil, "x"}, {"DELETE", nil, ""},
		{"POST", http.Header{"Idempotency-Key": {"1"}}, ""}, {"POST", http.Header{"X-Idempotency-Key": {"1"}}, "x"}, {"GET", nil, "x"},
	} {
		for _, end := range []string{"closed", "reset", "closed under TLS"} {
			t.Run(fmt.Sprint(c.method, c.header, c.body, end), func(t *testing.T) {
				var seen atomic.Int64
				r := start(t, wide, "http://127.0.0.1:1")
				r.scripted(t, end == "closed under TLS", func(u net.Conn) {
					in := bufio.NewReader(u)
					for {
						q, err := http.ReadRequest(in)
						if err != nil {
							return
						}
						io.Copy(io.Discard, q.Body)
						if q.URL.Path == "/second" {
							seen.Add(1)
							if end == "reset" {
								u.(*net.TCPConn).SetLinger(0)
							}
							return
						}
						io.WriteString(u, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
					}
				})
				body := func() io.Reader {
					if c.body == "" {
						return nil
					}
					return strings.NewReader(c.body)
				}
				if a, _ := r.do(t, c.method, "/first", c.header, body()); a.StatusCode != 200 {
					t.Fatalf("set-up: %d", a.StatusCode)
				}
				if a, _ := r.do(t, c.method, "/second", c.header, body()); a.StatusCode != 502 {
					t.Errorf("status %d", a.StatusCode)
				}
				if seen.Load() != 1 {
					t.Errorf("the upstream got it %d times", seen.Load())
				}
			})
		}
	}
}

// What has no body is sent without one: no chunk, and a length only where some
// servers ask for it.
func TestNoBodyIsSentAsNone(t *testing.T) {
	for method, want := range map[string]string{"GET": "", "HEAD": "", "OPTIONS": "", "POST": "0", "PUT": "0", "DELETE": ""} {
		got := make(chan string, 1)
		r := start(t, wide, script(t, func(u net.Conn) {
			q, err := http.ReadRequest(bufio.NewReader(u))
			if err != nil {
				return
			}
			got <- strings.Join(q.Header["Content-Length"], ",") + strings.Join(q.TransferEncoding, ",")
			io.WriteString(u, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
		}))
		r.do(t, method, "/", nil, nil)
		if framed := <-got; framed != want {
			t.Errorf("%s: %q, want %q", method, framed, want)
		}
	}
}

// An answer that breaks off looks broken to the client as well.
func TestAnswerBreaksOff(t *testing.T) {
	for _, answer := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
	} {
		r := start(t, wide, script(t, func(u net.Conn) {
			http.ReadRequest(bufio.NewReader(u))
			io.WriteString(u, answer)
		}))
		a, err := r.client.Get(r.URL)
		if err == nil {
			_, err = io.ReadAll(a.Body)
			a.Body.Close()
		}
		if err == nil {
			t.Errorf("%q passes for whole", answer)
		}
	}
}

// A client's own faults are not the upstream's: its body that breaks is 400, its
// body that stops is 408, and neither is in the log.
func TestClientFails(t *testing.T) {
	upstream := serve(t, func(_ http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) })
	for _, c := range []struct {
		name, request string
		status        int
		adjust        func(*Options, *http.Server)
	}{
		{"broken chunk", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400, func(*Options, *http.Server) {}},
		{"stops", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhello", 408, briefly},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := start(t, wide, upstream, c.adjust)
			if a := readAnswer(t, r.dial(t, c.request), "POST"); a.StatusCode != c.status {
				t.Errorf("status %d, want %d", a.StatusCode, c.status)
			}
			if log := r.log.String(); log != "" {
				t.Errorf("log: %s", log)
			}
		})
	}
}

// A client that goes on may take as long as it likes: no time is set for the whole
// of a body, in either direction.
func TestSlowIsNotStopped(t *testing.T) {
	r := start(t, wide, serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.NewResponseController(w).EnableFullDuplex()
		buffer := make([]byte, 1)
		for range 10 {
			if _, err := io.ReadFull(r.Body, buffer); err != nil {
				panic(http.ErrAbortHandler)
			}
			w.Write(buffer)
			w.(http.Flusher).Flush()
		}
	}), func(o *Options, _ *http.Server) { o.Timeout = 2 * time.Second })
	body, send := io.Pipe()
	go func() {
		tick := time.NewTicker(250 * time.Millisecond) // ten of them are longer than the timeout
		defer tick.Stop()
		for range 10 {
			<-tick.C
			io.WriteString(send, "x")
		}
		send.Close()
	}()
	if a, text := r.do(t, "POST", "/", nil, body); text != "xxxxxxxxxx" {
		t.Errorf("%d %q", a.StatusCode, text)
	}
}

// A client that asks and does not read is cut off, and with it its upstream.
func TestClientDoesNotRead(t *testing.T) {
	ended := make(chan error, 1)
	r := start(t, wide, serve(t, func(w http.ResponseWriter, r *http.Request) {
		block := make([]byte, 1<<20)
		for {
			if _, err := w.Write(block); err != nil {
				ended <- err
				return
			}
		}
	}), briefly)
	r.dial(t, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	select {
	case <-ended:
	case <-time.After(patience):
		t.Error("the upstream still writes")
	}
}

// An upstream that does not read a body is given up.
func TestUpstreamDoesNotRead(t *testing.T) {
	hold := make(chan bool)
	defer close(hold)
	// Longer than the client, which sends without a pause, ever pauses.
	r := start(t, wide, script(t, func(u net.Conn) { <-hold }), func(o *Options, _ *http.Server) { o.Timeout = time.Second })
	a, _ := r.do(t, "POST", "/", nil, io.LimitReader(endless{}, 64<<20))
	if a.StatusCode != 504 {
		t.Errorf("status %d", a.StatusCode)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// A client that hangs up ends the request at the upstream.
func TestClientHangsUp(t *testing.T) {
	ended := make(chan error, 1)
	asked := make(chan bool, 1)
	r := start(t, wide, serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked <- true
		<-r.Context().Done()
		ended <- r.Context().Err()
	}))
	c := r.dial(t, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	<-asked
	c.Close()
	select {
	case <-ended:
	case <-time.After(patience):
		t.Error("the upstream still works for nobody")
	}
	if log := r.log.String(); log != "" {
		t.Errorf("log: %s", log)
	}
}

// An answer that comes before the request's end is the client's at once, and no
// upload for nothing.
func TestEarlyAnswer(t *testing.T) {
	r := start(t, wide, script(t, func(u net.Conn) {
		in := bufio.NewReader(u)
		http.ReadRequest(in)
		io.WriteString(u, "HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 3\r\n\r\nbig")
		io.Copy(io.Discard, in)
	}))
	c := r.dial(t, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\nsome of it")
	if a := readAnswer(t, c, "POST"); a.StatusCode != 413 {
		t.Errorf("status %d", a.StatusCode)
	}
}

// Expect: 100-continue is between the client and the upstream: a refused body is
// never sent.
func TestExpectContinue(t *testing.T) {
	r := start(t, wide, serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/no" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		io.Copy(w, r.Body)
	}))
	const head = " HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"
	if a := readAnswer(t, r.dial(t, "POST /no"+head), "POST"); a.StatusCode != 401 {
		t.Errorf("refused: %d", a.StatusCode)
	}
	c := r.dial(t, "POST /yes"+head)
	answers := bufio.NewReader(c)
	a, err := http.ReadResponse(answers, nil)
	if err != nil || a.StatusCode != 100 {
		t.Fatal(a, err)
	}
	io.WriteString(c, "hello")
	if a, err = http.ReadResponse(answers, nil); err != nil || a.StatusCode != 200 {
		t.Fatal(a, err)
	}
	if body, err := io.ReadAll(a.Body); string(body) != "hello" || errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%q %v", body, err)
	}
}
