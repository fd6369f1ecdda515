package daemon

import (
	"net/http"
	"strings"
	"testing"

	"github.com/weirhq/weir/internal/redistest"
)

func onRedis(t *testing.T, config string) *running {
	t.Helper()
	server := redistest.Start(t)
	return start(t, Options{Config: write(t, "store: redis://"+server.Addr+"\nbudget: 5s\n"+config)})
}

func (r *running) check(t *testing.T) *http.Response {
	t.Helper()
	answer, err := http.Get(r.http + "/check")
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	return answer
}

// metric wants a line of /metrics.
func (r *running) metric(t *testing.T, line string) {
	t.Helper()
	in, _ := http.NewRequest(http.MethodGet, r.admin+"/metrics", nil)
	if _, body := do(t, in); !strings.Contains(body, "\n"+line+"\n") {
		name, _, _ := strings.Cut(line, "{")
		for l := range strings.Lines(body) {
			if strings.HasPrefix(l, name) {
				t.Log(l)
			}
		}
		t.Errorf("no metric %s", line)
	}
}

// B61: beside a rule in shadow that overflows an enforced one goes on deciding, and
// what each would do is counted, whether refusals are remembered or not.
func TestB61ShadowBesideTheDenyCache(t *testing.T) {
	for _, cache := range []string{"off", "1s"} {
		t.Run(cache, func(t *testing.T) {
			d := onRedis(t, "deny_cache: "+cache+`
layers:
  - {name: s, by: ip, limit: 1/min, shadow: true}
  - {name: e, by: ip, limit: 3/min}
`)
			for i, want := range []int{200, 200, 200, 429} {
				answer := d.check(t)
				if answer.StatusCode != want || answer.Header.Get("X-RateLimit-Limit") != "3" || strings.Contains(answer.Header.Get("RateLimit"), `"s"`) {
					t.Errorf("call %d: %d, %v", i+1, answer.StatusCode, answer.Header)
				}
			}
			for _, line := range []string{
				`weir_checks_total{layer="s",limit="default",outcome="shadow_allowed"} 1`,
				`weir_checks_total{layer="s",limit="default",outcome="shadow_refused"} 3`,
				`weir_checks_total{layer="e",limit="default",outcome="allowed"} 3`,
				`weir_checks_total{layer="e",limit="default",outcome="refused"} 1`,
			} {
				d.metric(t, line)
			}
		})
	}
}

// Refusals from memory are counted as such and as refusals, say what those of the
// store say, and end with a reset.
func TestDenyCache(t *testing.T) {
	for cache, hits := range map[string]string{"1h": "4", "off": "0"} {
		t.Run(cache, func(t *testing.T) {
			d := onRedis(t, "deny_cache: "+cache+"\nlayers: [{name: edge, by: ip, limit: 1/h}]\n")
			d.check(t)
			for range 5 {
				answer := d.check(t)
				if answer.StatusCode != 429 || answer.Header.Get("X-RateLimit-Remaining") != "0" || len(answer.Header.Get("Retry-After")) != 4 {
					t.Errorf("%d, %v", answer.StatusCode, answer.Header)
				}
			}
			d.metric(t, "weir_deny_cache_hits_total "+hits)
			d.metric(t, `weir_requests_total{outcome="refused"} 5`)

			in, _ := http.NewRequest(http.MethodPost, d.admin+"/v1/reset", strings.NewReader(`{"layer": "edge", "key": "127.0.0.1"}`))
			if status, body := do(t, in); status != 200 {
				t.Fatalf("reset: %d %s", status, body)
			}
			if answer := d.check(t); answer.StatusCode != 200 {
				t.Errorf("after a reset: %d", answer.StatusCode)
			}
		})
	}
}
