package daemon

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// small has a layer for each kind of answer.
const small = `
deny: [198.51.100.0/24]
layers:
  - {name: edge, by: ip, limit: 9/min, algorithm: fixed-window}
  - name: endpoint
    by: [ip, route]
    routes:
      /search: {limit: 2/min, algorithm: fixed-window}
      /two: [{limit: 1/min, name: a, algorithm: fixed-window}, {limit: 9/h, name: b, algorithm: fixed-window}]
      /never: blocked
      /free: unlimited
`

// Every answer has exactly these fields, beside Weir-Decision.
func TestHeadersOfEveryAnswer(t *testing.T) {
	problem := http.Header{"Content-Type": {"application/problem+json"}, "Cache-Control": {"no-store"}}
	for _, c := range []struct {
		name   string
		config string // before small
		before int    // times that the request was sent already
		ask    request
		status int
		want   http.Header
	}{
		{
			name: "allowed", ask: request{target: "/check"}, status: 200,
			want: http.Header{
				"X-Ratelimit-Limit": {"9"}, "X-Ratelimit-Remaining": {"8"}, "X-Ratelimit-Reset": {"1715774460"},
				"Ratelimit-Policy": {`"edge";q=9;w=60`}, "Ratelimit": {ratelimit("edge", 9, 8, 60)},
			},
		},
		{
			name: "the tightest limit is told", ask: request{target: "/check/search"}, status: 200,
			want: http.Header{
				"X-Ratelimit-Limit": {"2"}, "X-Ratelimit-Remaining": {"1"}, "X-Ratelimit-Reset": {"1715774460"},
				"Ratelimit-Policy": {`"edge";q=9;w=60, "endpoint";q=2;w=60`}, "Ratelimit": {ratelimit("endpoint", 2, 1, 60)},
			},
		},
		{
			name: "refused", before: 2, ask: request{target: "/check/search"}, status: 429,
			want: merge(problem, http.Header{
				"X-Ratelimit-Limit": {"2"}, "X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"1715774460"},
				"Ratelimit-Policy": {`"edge";q=9;w=60, "endpoint";q=2;w=60`}, "Ratelimit": {ratelimit("endpoint", 2, 0, 60)},
				"Retry-After": {"60"},
			}),
		},
		{
			name: "refused, answered with another status", before: 2, ask: request{target: "/check/search?deny=403"}, status: 403,
			want: merge(problem, http.Header{
				"X-Ratelimit-Limit": {"2"}, "X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"1715774460"},
				"Ratelimit-Policy": {`"edge";q=9;w=60, "endpoint";q=2;w=60`}, "Ratelimit": {ratelimit("endpoint", 2, 0, 60)},
				"Retry-After": {"60"}, "Weir-Status": {"429"},
			}),
		},
		{
			name: "several limits in a layer", before: 1, ask: request{target: "/check/two"}, status: 429,
			want: merge(problem, http.Header{
				"X-Ratelimit-Limit": {"1"}, "X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"1715774460"},
				"Ratelimit-Policy": {`"edge";q=9;w=60, "endpoint//two#a";q=1;w=60, "endpoint//two#b";q=9;w=3600`}, "Ratelimit": {ratelimit("endpoint//two#a", 1, 0, 60)},
				"Retry-After": {"60"},
			}),
		},
		{
			name: "never", ask: request{target: "/check?cost=10"}, status: 429,
			want: merge(problem, http.Header{
				"X-Ratelimit-Limit": {"9"}, "X-Ratelimit-Remaining": {"9"}, "X-Ratelimit-Reset": {"1715774460"},
				"Ratelimit-Policy": {`"edge";q=9;w=60`}, "Ratelimit": {ratelimit("edge", 9, 9, 60)},
			}),
		},
		{
			name: "blocked", ask: request{target: "/check/never"}, status: 429,
			want: merge(problem, http.Header{
				"X-Ratelimit-Limit": {"0"}, "X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"1715774400"},
				"Ratelimit-Policy": {`"edge";q=9;w=60, "endpoint";q=0;w=1`}, "Ratelimit": {ratelimit("endpoint", 0, 0, 0)},
			}),
		},
		{
			name: "on the deny list", ask: request{target: "/check", from: "198.51.100.9"}, status: 403,
			want: problem,
		},
		{
			name: "on the deny list, answered with another status", ask: request{target: "/check?deny=401", from: "198.51.100.9"}, status: 401,
			want: merge(problem, http.Header{"Weir-Status": {"403"}}),
		},
		{
			name: "peeked", ask: request{target: "/check?peek=1"}, status: 200,
			want: http.Header{
				"X-Ratelimit-Limit": {"9"}, "X-Ratelimit-Remaining": {"9"}, "X-Ratelimit-Reset": {"1715774460"},
				"Ratelimit-Policy": {`"edge";q=9;w=60`}, "Ratelimit": {ratelimit("edge", 9, 9, 60)},
			},
		},
		{
			name: "nothing counted", config: "allow: [203.0.113.7]", ask: request{target: "/check"}, status: 200,
			want: http.Header{},
		},
		{
			name: "reset as a delta", config: "headers: {x_ratelimit: delta, ietf: off}", ask: request{target: "/check"}, status: 200,
			want: http.Header{"X-Ratelimit-Limit": {"9"}, "X-Ratelimit-Remaining": {"8"}, "X-Ratelimit-Reset": {"60"}},
		},
		{
			name: "the names of both drafts", config: "headers: {x_ratelimit: off, ietf: both}", ask: request{target: "/check"}, status: 200,
			want: http.Header{"Ratelimit-Policy": {`"edge";q=9;w=60`}, "Ratelimit": {`"edge";r=8;t=60;a=8;w=60;limit=9;remaining=8;reset=60`}},
		},
		{
			name: "the IETF's alone", config: "headers: {x_ratelimit: off}", ask: request{target: "/check"}, status: 200,
			want: http.Header{"Ratelimit-Policy": {`"edge";q=9;w=60`}, "Ratelimit": {ratelimit("edge", 9, 8, 60)}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newService(t, c.config+"\n"+small)
			for range c.before {
				s.send(c.ask)
			}
			got := s.send(c.ask)
			if got.status != c.status {
				t.Fatalf("status %d, want %d: %s", got.status, c.status, got.body)
			}
			if len(got.header["Weir-Decision"]) != 1 {
				t.Errorf("Weir-Decision is %q", got.header["Weir-Decision"])
			}
			got.header.Del("Weir-Decision")
			if diff := cmp.Diff(c.want, got.header); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// ratelimit is the value of RateLimit. The parameters behind t are for a parser
// that looks for nothing else.
func ratelimit(name string, limit, remaining, reset int) string {
	return fmt.Sprintf("%q;r=%d;t=%d;limit=%d;remaining=%d;reset=%d", name, remaining, reset, limit, remaining, reset)
}

func merge(all ...http.Header) http.Header {
	merged := http.Header{}
	for _, h := range all {
		for name, lines := range h {
			merged[name] = lines
		}
	}
	return merged
}

// Where several layers refuse or nearly do, Retry-After is long enough for all:
// what a refusing layer let pass before was charged.
func TestRetryAfterIsLongEnoughForAllLayers(t *testing.T) {
	s := newService(t, `
layers:
  - {name: long, by: ip, limit: 3/h, algorithm: fixed-window}
  - {name: short, by: ip, limit: 2/min, algorithm: fixed-window}
`)
	ask := request{target: "/check"}
	s.spend(2, ask)
	// The third takes the last of long, and short refuses it: a minute is not enough.
	refused := s.refusedBy(ask, "short")
	if got := refused.header.Get("Retry-After"); got != "3600" {
		t.Fatalf("Retry-After is %s, want 3600", got)
	}
	s.clock.advance(time.Hour)
	s.spend(1, ask)
}
