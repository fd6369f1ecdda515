package descriptor_test

import (
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/descriptor"
)

// Whoever waits as long as a refusal says passes, and nobody waits for a limit
// that does not stand in the way: one in shadow, or a quota beside one with room.
func TestWait(t *testing.T) {
	const text = `
domain: d
descriptors:
  - {key: minute, rate_limit: {unit: minute, requests_per_unit: 1}}
  - {key: hour, rate_limit: {unit: hour, requests_per_unit: 1}}
  - {key: shadow, shadow_mode: true, rate_limit: {unit: day, requests_per_unit: 1}}
  - {key: free, rate_limit: {unlimited: true}}
  - {key: qhour, quota_mode: true, rate_limit: {unit: hour, requests_per_unit: 1}}
  - {key: qday, quota_mode: true, rate_limit: {unit: day, requests_per_unit: 1}}
  - {key: qmore, quota_mode: true, rate_limit: {unit: day, requests_per_unit: 9}}
`
	ask := func(names ...string) (all []descriptor.Descriptor) {
		for _, name := range names {
			all = append(all, hits(name+"=v", 1))
		}
		return all
	}
	// The clock stands at 13:24:17.
	const (
		minute = 43 * time.Second
		hour   = 35*time.Minute + minute
	)
	for _, c := range []struct {
		name  string
		asked []descriptor.Descriptor
		want  time.Duration
	}{
		{"one", ask("minute"), minute},
		{"the longer", ask("minute", "hour"), hour},
		{"not that in shadow", ask("shadow", "minute", "free"), minute},
		{"one quota", ask("qday", "qhour"), hour},
		{"a quota beside one with room", ask("qday", "minute", "qmore"), minute},
		{"a limit and all quotas", ask("minute", "qhour"), hour},
		{"a look at another", append(ask("minute"), hits("hour=v", 0)), minute},
		{"never", []descriptor.Descriptor{hits("minute=v", 2)}, weir.Never},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := newTrial(t, text)
			tr.ask(c.asked...)
			a := tr.ask(c.asked...)
			if a.Allowed || a.RetryAfter != c.want || !a.Statuses[a.Refused].Over {
				t.Fatalf("allowed %t, by %d, after %v; want %v", a.Allowed, a.Refused, a.RetryAfter, c.want)
			}
			if c.want == weir.Never {
				return
			}
			if tr.now = tr.now.Add(c.want - time.Microsecond); tr.ask(c.asked...).Allowed {
				t.Error("passes earlier")
			}
			if tr.now = tr.now.Add(time.Microsecond); !tr.ask(c.asked...).Allowed {
				t.Error("does not pass then")
			}
		})
	}
}
