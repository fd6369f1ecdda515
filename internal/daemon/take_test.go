package daemon

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// The whole of an answer, as INTERFACES has it.
func TestAnswerOfATake(t *testing.T) {
	s := newService(t, "layers: [{name: edge, by: ip, limit: {limit: 3/min, candidate: 1/min}, algorithm: fixed-window}]")
	s.clock.advance(20500 * time.Millisecond)
	const body = `{"attributes": {"ip": "203.0.113.7", "path": "/x"}, "cost": 2}`
	for _, want := range []string{
		`{"id":"ID","allowed":true,"layer":"edge","limits":[` +
			`{"layer":"edge","name":"default","algorithm":"fixed-window","key":"ip:203.0.113.7","limit":3,"remaining":1,"retry_after_ms":0,"reset_at_ms":1715774460000,"allowed":true,"shadow":false},` +
			`{"layer":"edge","name":"default~candidate","algorithm":"fixed-window","key":"ip:203.0.113.7","limit":1,"remaining":1,"retry_after_ms":-1,"reset_at_ms":1715774460000,"allowed":false,"shadow":true,"reason":"exceeds_capacity"}],` +
			`"retry_after_ms":0,"degraded":false,"receipt":"RECEIPT"}`,
		`{"id":"ID","allowed":false,"layer":"edge","limits":[` +
			`{"layer":"edge","name":"default","algorithm":"fixed-window","key":"ip:203.0.113.7","limit":3,"remaining":1,"retry_after_ms":39500,"reset_at_ms":1715774460000,"allowed":false,"shadow":false,"reason":"over_limit"},` +
			`{"layer":"edge","name":"default~candidate","algorithm":"fixed-window","key":"ip:203.0.113.7","limit":1,"remaining":1,"retry_after_ms":-1,"reset_at_ms":1715774460000,"allowed":false,"shadow":true,"reason":"exceeds_capacity"}],` +
			`"retry_after_ms":39500,"degraded":false}`,
	} {
		a := s.send(request{method: http.MethodPost, target: "/v1/take", body: body})
		var got take
		a.decode(t, &got)
		text := strings.TrimSpace(strings.ReplaceAll(a.body, got.ID, "ID"))
		if got.Receipt != "" {
			text = strings.ReplaceAll(text, got.Receipt, "RECEIPT")
		}
		if a.status != http.StatusOK || text != want {
			t.Errorf("status %d\ngot  %s\nwant %s", a.status, text, want)
		}
		if got := a.header; got.Get("Content-Type") != "application/json" || got.Get("Cache-Control") != "no-store" {
			t.Errorf("%v", got)
		}
	}
}

// Two layers refuse: the first is named, and the wait is the longest.
func TestFirstRefusalIsNamedAndTheLongestWaitTold(t *testing.T) {
	s := newService(t, `
layers:
  - {name: short, by: ip, limit: 1/min, algorithm: fixed-window}
  - {name: long, by: ip, limit: 1/h, algorithm: fixed-window}
`)
	ask := request{target: "/check"}
	s.spend(1, ask)
	var got take
	s.post("/v1/take", `{"attributes": {"ip": "203.0.113.7"}}`, http.StatusOK, &got)
	if got.Layer != "short" || got.RetryAfter != time.Hour.Milliseconds() {
		t.Errorf("%+v", got)
	}
}

// Times are rounded up, to whole milliseconds.
func TestTimesOfATakeAreRoundedUp(t *testing.T) {
	s := newService(t, "")
	s.clock.advance(123 * time.Microsecond)
	const body = `{"key": "a", "limit": "7/s", "burst": 1}` // one each 142,857 1/7 µs
	var first, second take
	s.post("/v1/take", body, http.StatusOK, &first)
	s.post("/v1/take", body, http.StatusOK, &second)
	if got := first.Limits[0].ResetAt - noon.UnixMilli(); got != 143 {
		t.Errorf("reset after %d ms, want 142.981 rounded up", got)
	}
	if second.RetryAfter != 143 {
		t.Errorf("retry after %d ms, want 142.858 rounded up", second.RetryAfter)
	}
}

// What is left out of the attributes, and the spellings that are one caller.
func TestAttributesOfATake(t *testing.T) {
	const config = `
unknown_ip: deny
layers:
  - {name: edge, by: ip, limit: 100/min}
  - name: endpoint
    by: [ip, route]
    routes: {GET /: 10/min, "POST api.example/x": 5/min}
`
	for _, c := range []struct{ name, attributes, want string }{
		{"nothing", `{}`, "denied: edge: the client's address is unknown"},
		{"an address alone: GET /", `{"ip": "203.0.113.7"}`, "ip:203.0.113.7 100 ip:203.0.113.7 10"},
		{"all", `{"ip": "203.0.113.7", "method": "POST", "host": "API.example:443", "path": "/x?y=1"}`, "ip:203.0.113.7 100 ip:203.0.113.7 5"},
		{"IPv4, mapped", `{"ip": "::ffff:203.0.113.7"}`, "ip:203.0.113.7 100 ip:203.0.113.7 10"},
		{"IPv6", `{"ip": "2001:DB8:1:2:0:0:0:9"}`, "ip:2001:db8:1:2::/64 100 ip:2001:db8:1:2::/64 10"},
		{"IPv6 with a zone", `{"ip": "fe80::1%eth0"}`, "ip:fe80::/64 100 ip:fe80::/64 10"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got take
			newService(t, config).post("/v1/take", `{"attributes": `+c.attributes+`}`, http.StatusOK, &got)
			text := "denied: " + got.Denied
			if got.Denied == "" {
				text = got.keys()
			}
			if text != c.want || got.Allowed != (got.Denied == "") {
				t.Errorf("got  %s\nwant %s", text, c.want)
			}
		})
	}
}

func (a *take) keys() string {
	var parts []string
	for _, l := range a.Limits {
		parts = append(parts, l.Key, fmt.Sprint(l.Limit))
	}
	return strings.Join(parts, " ")
}

// The caller named by attributes may not name its own cost or plan.
func TestHeadersOfATakeAreTheCallers(t *testing.T) {
	const config = `
trusted_proxies: [10.0.0.1]
plans: {free: 5/min, pro: 50/min}
clients: {header: X-Plan}
layers: [{name: gateway, by: client, limit: {limit: plan, cost: "header:X-Cost"}}]
`
	const body = `{"attributes": {"ip": "203.0.113.7", "headers": {"X-API-Key": "k", "X-Plan": "pro", "X-Cost": "7"}}}`
	for from, want := range map[string]string{"10.0.0.1": "50 43", "10.0.0.2": ""} {
		var got take
		a := newService(t, config).send(request{method: http.MethodPost, target: "/v1/take", body: body, from: from})
		a.decode(t, &got)
		text := ""
		if len(got.Limits) > 0 {
			text = fmt.Sprint(got.Limits[0].Limit) + " " + fmt.Sprint(got.Limits[0].Remaining)
		}
		if text != want {
			t.Errorf("asked from %s: %q, want %q", from, text, want)
		}
	}
}

// Ad hoc limits of the same key and algorithm are one state, which changes its
// limit as a policy's does.
func TestAdHocLimitsOfOneKey(t *testing.T) {
	s := newService(t, "")
	for _, c := range []struct {
		body string
		left int64
	}{
		{`{"key": "a", "limit": "5/min"}`, 4},
		{`{"key": "a", "limit": "9/min"}`, 7},
		{`{"key": "a", "limit": "9/min", "burst": 3}`, 0},
		{`{"key": "a", "limit": "9/min", "algorithm": "sliding-log"}`, 8},
		{`{"key": "A", "limit": "9/min"}`, 8},
	} {
		var got take
		if s.post("/v1/take", c.body, http.StatusOK, &got); got.Limits[0].Remaining != c.left {
			t.Errorf("%s: %d are left, want %d", c.body, got.Limits[0].Remaining, c.left)
		}
	}
}
