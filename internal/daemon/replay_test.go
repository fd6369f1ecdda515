package daemon

import (
	"bytes"
	"maps"
	"net/http"
	"os"
	"testing"

	"github.com/weirhq/weir/internal/replay"
	"github.com/weirhq/weir/policy"
)

// A replay says of a log what the daemon decides about its requests, one by one,
// with the log's instants as its clock.
func TestReplayEqualsTheEngine(t *testing.T) {
	configs := map[string]string{
		"an address by the hour": hourly,
		"every algorithm": `
layers:
  - {name: gcra, by: ip, limit: {limit: 40/min, burst: 25}}
  - {name: bucket, by: ip, limit: 200/10m, algorithm: token-bucket, charge: admitted}
  - {name: log, by: ip, limit: 300/h, algorithm: sliding-log, charge: independent}
  - {name: counter, by: ip, limit: [15/10s, 900/day], algorithm: sliding-counter}`,
		"layers, routes, shadow, lists": `
allow: [198.18.0.22]
layers:
  - {name: edge, by: ip, limit: {limit: 60/min, candidate: 30/min}, deny: [198.18.2.0/24]}
  - {name: gateway, by: client, limit: 100/h, shadow: true}
  - name: endpoint
    by: [client, route]
    routes: {/erddap/version: 5/min, /erddap/tabledap/: {limit: 10/min, algorithm: fixed-window, count: all}}`,
	}
	requests, _ := day(t)
	for name, config := range configs {
		t.Run(name, func(t *testing.T) {
			got := replayed(t, config)
			want := served(t, config, requests)
			if got.Requests != int64(len(requests)) || got.Refused != want.refused || want.refused == 0 {
				t.Errorf("%d requests, %d refused; the daemon refuses %d of %d", got.Requests, got.Refused, want.refused, len(requests))
			}
			limits := map[string]int64{}
			for _, l := range got.Layers {
				if l.Refused > 0 {
					limits[l.Layer+" "+l.Name] = l.Refused
				}
			}
			if !maps.Equal(limits, want.limits) {
				t.Errorf("limits refuse %v, in the daemon %v", limits, want.limits)
			}
			for _, c := range got.TopRefused {
				if want.callers[c.Caller] != c.Refused {
					t.Errorf("%s has %d refused, in the daemon %d", c.Caller, c.Refused, want.callers[c.Caller])
				}
			}
			if got.CallersRefused != int64(len(want.callers)) {
				t.Errorf("%d callers are refused, in the daemon %d", got.CallersRefused, len(want.callers))
			}
		})
	}
}

// outcome is what a daemon refused.
type outcome struct {
	refused         int64
	limits, callers map[string]int64
}

func served(t *testing.T, config string, requests []logged) outcome {
	s := newService(t, config)
	o := outcome{limits: map[string]int64{}, callers: map[string]int64{}}
	for i := range requests {
		var got take
		s.clock.set(requests[i].at)
		s.post("/v1/take", requests[i].body(), http.StatusOK, &got)
		if !got.Allowed {
			o.refused++
			o.callers["ip:"+requests[i].ip]++
		}
		for _, l := range got.Limits {
			if !l.Allowed {
				o.limits[l.Layer+" "+l.Name]++
			}
		}
	}
	return o
}

func replayed(t *testing.T, config string) *replay.Report {
	t.Helper()
	log, err := os.ReadFile("testdata/nginx_api_day/2024-05-15.log")
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := policy.Parse("weir.yaml", []byte(config))
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := parsed.Compile(policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	report, err := replay.Run(t.Context(), []replay.Input{{Name: "day", Reader: bytes.NewReader(log)}}, replay.Options{Policy: p})
	if err != nil {
		t.Fatal(err)
	}
	return report
}
