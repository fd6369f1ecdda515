package daemon

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func startProxy(t *testing.T, config string, upstream http.HandlerFunc) *running {
	t.Helper()
	s := httptest.NewServer(upstream)
	t.Cleanup(s.Close)
	return start(t, Options{Config: write(t, config), Proxy: &Proxy{Upstream: s.URL, Timeout: time.Minute}})
}

// The traffic port is the upstream's alone, with every path there is; the admin
// port is as ever.
func TestProxyLeavesEveryPathToTheUpstream(t *testing.T) {
	d := startProxy(t, "layers: [{name: edge, by: ip, limit: 7/h}]", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "upstream's ", r.Method, " ", r.RequestURI)
	})
	for _, path := range []string{"/", "/check", "/check/search?peek=1", "/v1/take", "/healthz", "/metrics", "/check?cost=5"} {
		in, _ := http.NewRequest("POST", d.http+path, strings.NewReader("{}"))
		if status, body := do(t, in); body != "upstream's POST "+path {
			t.Errorf("%s: %d %q", path, status, body)
		}
	}
	a, err := http.Get(d.http)
	if err != nil {
		t.Fatal(err)
	}
	a.Body.Close()
	if a.StatusCode != 429 || a.Header.Get("Retry-After") == "" {
		t.Errorf("the eighth: %d %v", a.StatusCode, a.Header)
	}
	if s := d.status(t); !s.Ready {
		t.Errorf("%+v", s)
	}
}

// A websocket under way when weir is asked to stop may end in its own time.
func TestProxyDrainsWebsockets(t *testing.T) {
	d := startProxy(t, "", func(w http.ResponseWriter, r *http.Request) {
		c, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer c.Close()
		io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		io.Copy(c, rw)
	})
	c, err := net.Dial("tcp", strings.TrimPrefix(d.http, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(patience))
	send(t, c, "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
	answers := bufio.NewReader(c)
	a, err := http.ReadResponse(answers, nil)
	if err != nil || a.StatusCode != http.StatusSwitchingProtocols {
		t.Fatal(a, err)
	}
	stopped := make(chan error, 1)
	go func() { stopped <- d.stop() }()
	d.log.wait(t, `"msg":"draining"`)
	waitUntil(t, "nobody new is taken", func() bool {
		late, err := net.Dial("tcp", c.RemoteAddr().String())
		if err == nil {
			late.Close()
		}
		return err != nil
	})
	send(t, c, "still here\n")
	if line, err := answers.ReadString('\n'); line != "still here\n" {
		t.Errorf("%q %v", line, err)
	}
	select {
	case err := <-stopped:
		t.Fatalf("stopped with a websocket open: %v", err)
	default:
	}
	c.Close()
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	if cut := d.log.all("cut off"); len(cut) > 0 {
		t.Errorf("%s", cut)
	}
}

// An answer that breaks off breaks off for the client too, and is no fault of
// weir's to report.
func TestProxyPassesBrokenAnswersOn(t *testing.T) {
	d := startProxy(t, "", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		fmt.Fprint(w, "hello")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	a, err := http.Get(d.http)
	if err == nil {
		_, err = io.ReadAll(a.Body)
		a.Body.Close()
	}
	if err == nil {
		t.Error("it passes for whole")
	}
	if panics := d.log.all("panic"); len(panics) > 0 {
		t.Errorf("%s", panics)
	}
}
