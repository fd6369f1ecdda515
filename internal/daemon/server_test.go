package daemon

import (
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
)

// B25: a panic in a handler costs one request, gets an answer, and is in the log.
func TestPanicCostsOneRequest(t *testing.T) {
	log := newLogLines()
	url := serve(t, answerPanics(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/boom" {
			panic("a mistake of ours")
		}
	}), slog.New(slog.NewJSONHandler(log, nil))))
	for path, want := range map[string]int{"/boom": 500, "/": 200} {
		r, _ := http.NewRequest(http.MethodGet, url+path, nil)
		status, body := do(t, r)
		if status != want || strings.Contains(body, "a mistake of ours") {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	line := log.wait(t, `"panic":"a mistake of ours"`)
	if !strings.Contains(line, `"path":"/boom"`) || !strings.Contains(line, "server_test.go") {
		t.Errorf("%s", line)
	}
}

// Either all listeners open or none.
func TestPortInUseClosesTheOthers(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	free := freeAddress(t)
	_, err = listen([]endpoint{{name: "http", flag: "--http", address: free}, {name: "admin", flag: "--admin", address: taken.Addr().String()}}, nil)
	if want := "--admin " + taken.Addr().String() + ": address already in use"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	again, err := net.Listen("tcp", free)
	if err != nil {
		t.Fatalf("the first listener was left open: %v", err)
	}
	again.Close()
}

// freeAddress is an address that was free a moment ago.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
