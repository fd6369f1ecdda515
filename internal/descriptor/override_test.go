package descriptor_test

import (
	"testing"

	"github.com/weirhq/weir/internal/descriptor"
)

// under asks under a limit of the request's own.
func under(text string, n int64, requests uint32, unit descriptor.Unit) descriptor.Descriptor {
	d := hits(text, n)
	d.Override = &descriptor.Override{Requests: requests, Unit: unit}
	return d
}

// A limit that a request brings goes on counting what the configured one counted,
// and that one goes on from there, where both have the same windows. Elsewhere the
// two count apart.
func TestOverrideCounts(t *testing.T) {
	const day, hour = descriptor.Day, descriptor.Hour
	for _, c := range []struct {
		name, configured string
		unit             descriptor.Unit
		left             []uint32 // of the configured 10, the request's 20, the 10 again
	}{
		{"in the same windows", "{key: k, rate_limit: {unit: day, requests_per_unit: 10}}", day, []uint32{7, 15, 4}},
		{"in the same, without a name", "{key: k, rate_limit: {unit: 24h, requests_per_unit: 10}}", day, []uint32{7, 15, 4}},
		{"in shadow", "{key: k, shadow_mode: true, rate_limit: {unit: day, requests_per_unit: 10}}", day, []uint32{7, 15, 4}},
		{"in others", "{key: k, rate_limit: {unit: day, requests_per_unit: 10}}", hour, []uint32{7, 18, 6}},
		{"by an algorithm", "{key: k, rate_limit: {unit: day, requests_per_unit: 10, algorithm: gcra}}", day, []uint32{7, 18, 6}},
		{"many callers as one", "{key: k, value: 'v*', share_threshold: true, rate_limit: {unit: day, requests_per_unit: 10}}", day, []uint32{7, 18, 6}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := newTrial(t, one(c.configured))
			for i, d := range []descriptor.Descriptor{hits("k=v", 3), under("k=v", 2, 20, c.unit), hits("k=v", 1)} {
				if left := tr.ask(d).Statuses[0].Remaining; left != c.left[i] {
					t.Errorf("request %d: %d left, want %d", i, left, c.left[i])
				}
			}
		})
	}
}

// Within one request, too, each tells what was left after it under its own limit.
// Where a refusal was counted, it may be less, and never more.
func TestOverrideBesideItsLimit(t *testing.T) {
	tr := newTrial(t, one("{key: k, rate_limit: {unit: day, requests_per_unit: 10}}"))
	for _, c := range []struct {
		asked []descriptor.Descriptor
		left  []uint32
		over  []bool
	}{
		{
			[]descriptor.Descriptor{hits("k=a", 0), hits("k=a", 1), under("k=a", 1, 20, descriptor.Day), hits("k=a", 1)},
			[]uint32{10, 9, 18, 7}, []bool{false, false, false, false},
		},
		{
			[]descriptor.Descriptor{hits("k=b", 3), under("k=b", 10, 20, descriptor.Day), hits("k=b", 1), hits("k=b", 0)},
			[]uint32{7, 7, 0, 0}, []bool{false, false, true, true},
		},
		{
			[]descriptor.Descriptor{hits("k=c", 3), under("k=c", 10, 20, descriptor.Day), under("k=c", 30, 20, descriptor.Day)},
			[]uint32{0, 0, 0}, []bool{false, false, true},
		},
		{
			[]descriptor.Descriptor{hits("k=d", 0), hits("k=d", 4), hits("k=d", 9)},
			[]uint32{4, 0, 0}, []bool{false, false, true},
		},
	} {
		a := tr.ask(c.asked...)
		for i, s := range a.Statuses {
			if s.Remaining != c.left[i] || s.Over != c.over[i] {
				t.Errorf("%v %d: %d left, over %t; want %d, %t", c.asked[i].Entries, i, s.Remaining, s.Over, c.left[i], c.over[i])
			}
		}
	}
}
