package daemon

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// event is one that a page gets.
type event struct {
	name, data string
}

// events reads a stream of server-sent events.
type events struct {
	t     *testing.T
	lines *bufio.Reader
}

func (r *running) live(t *testing.T, query string) *events {
	t.Helper()
	answer, err := http.Get(r.admin + "/v1/live" + query)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	if got := answer.Header.Get("Content-Type"); answer.StatusCode != http.StatusOK || got != "text/event-stream" {
		t.Fatalf("status %d, %s", answer.StatusCode, got)
	}
	return &events{t, bufio.NewReader(answer.Body)}
}

// next is the next event; ok is false at the end.
func (e *events) next() (one event, ok bool) {
	e.t.Helper()
	for {
		line, err := e.lines.ReadString('\n')
		switch {
		case err == io.EOF && one == event{}:
			return one, false
		case err != nil:
			e.t.Fatal(err)
		case line == "\n":
			return one, true
		}
		field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch field {
		case "event":
			one.name = value
		case "data":
			one.data = value
		default:
			e.t.Fatalf("%q is no field", line)
		}
	}
}

// until reads to the first event of the name that holds the text.
func (e *events) until(name, text string) event {
	e.t.Helper()
	for {
		one, ok := e.next()
		if !ok {
			e.t.Fatalf("the stream ends without %s with %s", name, text)
		}
		if one.name == name && strings.Contains(one.data, text) {
			return one
		}
	}
}

// A page gets what was, then each second and each refusal, and the end when weir
// drains: it does not hold the drain up.
func TestLive(t *testing.T) {
	d := start(t, Options{Config: write(t, "layers: [{name: edge, by: ip, limit: 1/h}]")})
	d.check(t)
	refused := d.refusal(t)
	first := d.live(t, "")
	history, _ := first.next()
	if history.name != "history" || !strings.Contains(history.data, refused) {
		t.Errorf("the first event is %+v", history)
	}
	more := d.refusal(t)
	first.until("refusal", more)
	var tick struct {
		Refused int64
		Limits  []struct {
			Layer, Limit, Rate string
			Refused            int64
			Utilisation        float64
		}
		Store  struct{ Kind string }
		Config struct{ Valid bool }
	}
	text := first.until("tick", `"refused":`)
	if err := json.Unmarshal([]byte(text.data), &tick); err != nil {
		t.Fatal(err)
	}
	if tick.Refused < 1 || tick.Limits[0].Rate != "1/h" || tick.Limits[0].Utilisation != 1 || tick.Store.Kind != "memory" || !tick.Config.Valid {
		t.Errorf("%s", text.data)
	}
	if err := d.stop(); err != nil {
		t.Error(err)
	}
	for ok := true; ok; {
		_, ok = first.next()
	}
}

// refusal makes a request until it is refused, and gives that decision's id.
func (r *running) refusal(t *testing.T) string {
	t.Helper()
	for range 100_000 {
		if answer := r.check(t); answer.StatusCode == http.StatusTooManyRequests {
			return answer.Header.Get("Weir-Decision")
		}
	}
	t.Fatal("nothing is refused")
	return ""
}

// One listener too many is told so.
func TestListenersAreBounded(t *testing.T) {
	d := start(t, Options{})
	for range 32 {
		d.live(t, "").next()
	}
	in, _ := http.NewRequest(http.MethodGet, d.admin+"/v1/live", nil)
	if status, body := do(t, in); status != http.StatusServiceUnavailable {
		t.Errorf("the 33rd gets %d %s", status, body)
	}
}

// Keys are masked unless there is a token and the page asks; a ref stands for a
// masked key.
func TestKeysAreMasked(t *testing.T) {
	for _, c := range []struct {
		name, token string
		full        bool
		status      int
		shown       bool
	}{
		{"without a token", "", false, 200, false},
		{"full, without a token", "", true, 403, false},
		{"with a token", "hunter2hunter2", false, 200, false},
		{"full, with a token", "hunter2hunter2", true, 200, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := start(t, Options{Token: c.token, Config: write(t, "layers: [{name: edge, by: ip, limit: 1/h}]")})
			d.check(t)
			id := d.refusal(t)
			query := map[bool]string{false: "0", true: "1"}[c.full]
			for _, path := range []string{"/v1/keys?layer=edge&limit=default", "/v1/decisions?refused=1", "/v1/decisions/" + id + "?"} {
				status, body := d.ask(t, c.token, "GET", path+"&full="+query, "")
				if status != c.status || strings.Contains(body, "127.0.0.1\"") != c.shown {
					t.Errorf("%s: %d %s", path, status, body)
				}
			}
		})
	}
}

// ask sends a request to the admin port.
func (r *running) ask(t *testing.T, token, method, path, body string, header ...string) (status int, answer string) {
	t.Helper()
	in, _ := http.NewRequest(method, r.admin+path, strings.NewReader(body))
	if token != "" {
		in.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(header); i += 2 {
		in.Header.Set(header[i], header[i+1])
	}
	return do(t, in)
}

// A page may reset only where there is a token; a program on loopback may as ever.
// It can do so by a ref, and sees the caller's room come back.
func TestWhoMayReset(t *testing.T) {
	for _, c := range []struct {
		name, token string
		header      []string
		status      int
	}{
		{"a program, without a token", "", nil, 200},
		{"a page, without a token", "", []string{"Sec-Fetch-Site", "same-origin"}, 403},
		{"an old page, without a token", "", []string{"Origin", "http://localhost"}, 403},
		{"a page, with a token", "hunter2hunter2", []string{"Sec-Fetch-Site", "same-origin"}, 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := start(t, Options{Token: c.token, Config: write(t, "layers: [{name: edge, by: ip, limit: 1/h}]")})
			d.check(t)
			d.refusal(t)
			_, body := d.ask(t, c.token, "GET", "/v1/config", "")
			var config struct {
				Session struct {
					MayChange bool `json:"may_change"`
				}
			}
			answer{body: body}.decode(t, &config)
			if config.Session.MayChange != (c.token != "") {
				t.Errorf("the page is told %s", body)
			}
			_, body = d.ask(t, c.token, "GET", "/v1/keys?layer=edge&limit=default", "")
			var callers struct{ Keys []struct{ Ref string } }
			answer{body: body}.decode(t, &callers)
			status, body := d.ask(t, c.token, "POST", "/v1/reset", fmt.Sprintf(`{"layer": "edge", "key": %q}`, callers.Keys[0].Ref), c.header...)
			if status != c.status {
				t.Fatalf("%d %s", status, body)
			}
			_, body = d.ask(t, c.token, "GET", "/v1/keys?layer=edge&key="+callers.Keys[0].Ref, "")
			if got := strings.Contains(body, `"remaining":1`); got != (c.status == 200) {
				t.Errorf("after it: %s", body)
			}
		})
	}
}
