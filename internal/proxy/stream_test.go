package proxy

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"strings"
	"testing"
	"time"
)

// Each event is with the client before the upstream writes the next: it waits for
// that.
func TestAnswersStream(t *testing.T) {
	for _, kind := range []string{"text/event-stream", "application/octet-stream"} {
		next := make(chan bool)
		r := start(t, wide, serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", kind)
			for i := range 3 {
				w.(http.Flusher).Flush() // first the header alone
				if !wait(next) {
					return
				}
				fmt.Fprintf(w, "data: %d\n", i)
			}
		}))
		a, err := r.client.Get(r.URL)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(a.Body)
		for i := range 3 {
			next <- true
			if line, err := lines.ReadString('\n'); line != fmt.Sprintf("data: %d\n", i) {
				t.Fatalf("%s: %q %v", kind, line, err)
			}
		}
		a.Body.Close()
	}
}

func wait(next <-chan bool) bool {
	select {
	case <-next:
		return true
	case <-time.After(patience):
		return false
	}
}

// A body is not collected before it is sent on, and an answer may begin before
// the request's end: each side's line is only sent when the other's has come.
func TestBothDirectionsStreamAtOnce(t *testing.T) {
	r := start(t, wide, serve(t, func(w http.ResponseWriter, r *http.Request) {
		c := http.NewResponseController(w)
		c.EnableFullDuplex()
		lines := bufio.NewReader(r.Body)
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			fmt.Fprintf(w, "echo %s", line)
			c.Flush()
		}
	}))
	body, send := io.Pipe()
	in, _ := http.NewRequest("POST", r.URL, body)
	go fmt.Fprintln(send, 0)
	a, err := r.client.Do(in)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	lines := bufio.NewReader(a.Body)
	for i := range 5 {
		if line, err := lines.ReadString('\n'); line != fmt.Sprintf("echo %d\n", i) {
			t.Fatalf("%q %v", line, err)
		}
		fmt.Fprintln(send, i+1)
	}
	send.Close()
}

// Long bodies arrive whole, in both directions, whatever they are framed by.
func TestLongBodies(t *testing.T) {
	r := start(t, wide, serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength >= 0 {
			w.Header().Set("Content-Length", fmt.Sprint(r.ContentLength))
		}
		http.NewResponseController(w).EnableFullDuplex()
		io.Copy(w, r.Body)
	}))
	text := strings.Repeat("0123456789abcdef", 1<<16) // 1 MiB
	for _, body := range []io.Reader{strings.NewReader(text), io.MultiReader(strings.NewReader(text))} {
		if a, got := r.do(t, "PUT", "/", nil, body); got != text {
			t.Errorf("%d bytes of %d came back, status %d", len(got), len(text), a.StatusCode)
		}
	}
}

// Trailers pass in both directions, also those of the answer that were not
// announced.
func TestTrailers(t *testing.T) {
	got := make(chan http.Header, 1)
	r := start(t, wide, serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		got <- r.Trailer
		w.Header().Set("Trailer", "Sum")
		fmt.Fprint(w, "body")
		w.Header().Set("Sum", "1")
		w.Header().Set(http.TrailerPrefix+"Late", "2")
	}))
	in, _ := http.NewRequest("POST", r.URL, io.MultiReader(strings.NewReader("text")))
	in.Trailer = http.Header{"Up": {"3"}}
	a, err := r.client.Do(in)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	io.Copy(io.Discard, a.Body)
	if up := (<-got).Get("Up"); up != "3" {
		t.Errorf("the upstream's: %q", up)
	}
	if a.Trailer.Get("Sum") != "1" || a.Trailer.Get("Late") != "2" {
		t.Errorf("the client's: %v", a.Trailer)
	}
}

// No trailer says what a header may not: in a request who asks, in an answer what
// the limits are.
func TestReservedTrailers(t *testing.T) {
	got := make(chan http.Header, 1)
	r := start(t, wide, serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		got <- r.Trailer
		w.Header().Set("Trailer", "X-RateLimit-Limit, Sum")
		fmt.Fprint(w, "body")
		w.Header().Set("Sum", "1")
		w.Header().Set("X-RateLimit-Limit", "7")
		w.Header().Set(http.TrailerPrefix+"Weir-Decision", "2")
	}))
	in, _ := http.NewRequest("POST", r.URL, io.MultiReader(strings.NewReader("text")))
	in.Trailer = http.Header{"Up": {"3"}, "X-Forwarded-For": {"192.0.2.1"}, "X_real_ip": {"192.0.2.1"}, "Authorization": {"x"}}
	a, err := r.client.Do(in)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	io.Copy(io.Discard, a.Body)
	if up := <-got; len(up) != 1 || up.Get("Up") != "3" {
		t.Errorf("the upstream's: %v", up)
	}
	if len(a.Trailer) != 1 || a.Trailer.Get("Sum") != "1" {
		t.Errorf("the client's: %v", a.Trailer)
	}
}

// Early hints pass, and the fields of the decision are on the answer, not on them.
func TestInformationalAnswers(t *testing.T) {
	r := start(t, wide, serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", "</style.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		fmt.Fprint(w, "body")
	}))
	in, _ := http.NewRequest("GET", r.URL, nil)
	var hints []string
	in = in.WithContext(httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
		Got1xxResponse: func(code int, h textproto.MIMEHeader) error {
			hints = append(hints, fmt.Sprint(code, h.Get("Link"), h.Get("X-RateLimit-Limit")))
			return nil
		},
	}))
	a, err := r.client.Do(in)
	if err != nil {
		t.Fatal(err)
	}
	a.Body.Close()
	if len(hints) != 1 || hints[0] != "103</style.css>; rel=preload" {
		t.Errorf("hints: %q", hints)
	}
	if a.StatusCode != 200 || len(a.Header["X-Ratelimit-Limit"]) != 1 {
		t.Errorf("%d %v", a.StatusCode, a.Header)
	}
}

// Answers without a body, and answers whose end is the connection's, are what
// they were.
func TestFraming(t *testing.T) {
	for _, c := range []struct{ name, method, answer, want string }{
		{"HEAD", "HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "200 length 5: "},
		{"no content", "GET", "HTTP/1.1 204 No Content\r\n\r\n", "204 length 0: "},
		{"not modified", "GET", "HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\nContent-Length: 5\r\n\r\n", "304 length 0: "},
		{"length", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "200 length 5: hello"},
		{"chunked", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "200 length -1: hello"},
		{"chunked and length", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "200 length -1: hello"},
		{"until the end", "GET", "HTTP/1.0 200 OK\r\n\r\nhello", "200 length -1: hello"},
		{"two lengths", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!", "502"},
		{"no HTTP", "GET", "SSH-2.0-OpenSSH\r\n", "502"},
		{"a header without end", "GET", "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 2*maxHeaderBytes) + "\r\n\r\n", "502"},
		{"nothing", "GET", "", "502"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := start(t, wide, script(t, func(u net.Conn) {
				if _, err := http.ReadRequest(bufio.NewReader(u)); err == nil {
					io.WriteString(u, c.answer)
				}
			}))
			a, body := r.do(t, c.method, "/", nil, nil)
			got := fmt.Sprint(a.StatusCode)
			if a.StatusCode != 502 {
				got = fmt.Sprintf("%d length %d: %s", a.StatusCode, a.ContentLength, body)
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// A request that says its length twice, in any way, is not two for the upstream.
func TestNoRequestIsSmuggled(t *testing.T) {
	for _, frame := range []string{
		"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n",
		"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n",
		"Transfer-Encoding: xchunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n",
		"Content-Length: 0\r\nContent-Length: 44\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n",
	} {
		var charged int
		paths := make(chan string, 10)
		r := start(t, wide, serve(t, func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			paths <- r.URL.Path
		}))
		c := r.dial(t, "POST /first HTTP/1.1\r\nHost: x\r\n"+frame+"GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
		answers := bufio.NewReader(c)
		for {
			a, err := http.ReadResponse(answers, nil)
			if err != nil {
				break
			}
			io.Copy(io.Discard, a.Body)
			if a.Header.Get("Weir-Decision") != "" {
				charged++
			}
		}
		if len(paths) != charged {
			t.Errorf("%q: the upstream got %d requests, %d were decided", frame, len(paths), charged)
		}
	}
}
