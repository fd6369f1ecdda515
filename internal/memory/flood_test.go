package memory

import (
	"testing"

	"github.com/weirhq/weir/internal/algorithm"
)

// A flood of keys that each come once, many times as many as the table holds,
// frees nobody who has used up a limit, nor does a flood under another limit.
func TestAbuserSurvivesAFloodOfOneShotKeys(t *testing.T) {
	floods := []struct {
		name          string
		count, period int64
	}{
		{"the same limit", 100, minute},
		{"a quota by day", 5, 24 * 60 * minute},
		{"strict pacing", 1, minute},
		{"a high limit", 1 << 30, minute},
	}
	eachKind(t, func(t *testing.T, kind algorithm.Kind) {
		for _, flood := range floods {
			t.Run(flood.name, func(t *testing.T) {
				table := newTable(t, 256)
				limit, other := compile(t, kind, 100, minute), compile(t, kind, flood.count, flood.period)
				abuser := key(-1)
				control := newTable(t, 256)
				admitted, due, next := 0, 0, 0
				for range 250 { // 100 ms each
					table.now.Add(second / 10)
					control.now.Add(second / 10)
					for range 20 {
						table.take(key(next), other, 1)
						next++
					}
					for range 5 {
						if table.take(abuser, limit, 1).Allowed {
							admitted++
						}
						if control.take(abuser, limit, 1).Allowed {
							due++
						}
					}
				}
				if admitted != due {
					t.Errorf("%d of an abuser's calls passed under a flood of %d keys, %d without", admitted, next, due)
				}
			})
		}
	})
}

// A limit that one request used up is not freed by keys that have used no more
// than half of theirs, though they came more often.
func TestUsedUpLimitOutlivesBusyKeys(t *testing.T) {
	eachKind(t, func(t *testing.T, kind algorithm.Kind) {
		table := newTable(t, 256)
		daily, other := compile(t, kind, 1, 24*60*minute), compile(t, kind, 6, 60*minute)
		admitted := 0
		for n := range 20_000 {
			if table.take(key(-1), daily, 1).Allowed {
				admitted++
			}
			for range 3 {
				table.take(key(n), other, 1)
			}
			table.now.Add(second / 100)
		}
		if admitted != 1 {
			t.Errorf("%d of 1 a day passed under a flood", admitted)
		}
	})
}
