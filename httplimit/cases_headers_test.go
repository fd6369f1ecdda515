package httplimit

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/weirhq/weir"
)

// B39: Reset was an epoch, a delta or milliseconds depending on the code path, 0 or
// -1 on a fresh key, and Limit a list. Here each is one plain integer of the kind
// that was chosen, on every path and for every algorithm.
func TestB39NumbersAreOfOneKindOnEveryPath(t *testing.T) {
	for _, a := range weir.Algorithms() {
		for _, style := range []ResetStyle{Epoch, Delta} {
			t.Run(a.String()+"/"+[]string{"epoch", "delta"}[style], func(t *testing.T) {
				limiter, clock := newLimiter(t, weir.PerMinute(2), weir.WithAlgorithm(a))
				tell := func(path string, offset time.Duration, n int64, peek bool) {
					t.Helper()
					clock.at(offset)
					checkNumbers(t, path, style, clock.read(), ask(t, limiter, n, peek))
				}
				tell("peek of a fresh key", 0, 1, true)
				tell("first hit", 0, 1, false)
				tell("allowed", 500*time.Millisecond, 1, false)
				tell("denied", 500*time.Millisecond, 1, false)
				tell("peek", 500*time.Millisecond, 1, true)
				tell("a cost above the capacity", 500*time.Millisecond, 3, false)
				tell("last millisecond of the window", time.Minute-time.Millisecond, 1, false)
				tell("first of the next", time.Minute, 1, false)
				tell("idle", time.Hour, 0, false)
			})
		}
	}
}

// ask is a decision about one client.
func ask(t *testing.T, l *weir.Limiter, n int64, peek bool) *weir.Decision {
	t.Helper()
	take := l.AllowN
	if peek {
		take = l.Peek
	}
	r, err := take(context.Background(), "203.0.113.7", n)
	if err != nil {
		t.Fatal(err)
	}
	check := weir.Check{Key: weir.Key{Layer: "default"}, Limit: l.Limit(), Cost: n, Peek: peek}
	d := weir.Decide(r.ID, []weir.Check{check}, []weir.Result{r})
	return &d
}

// checkNumbers holds the reset to what can be left of a limit of a minute: two of
// them for the sliding counter, which still weighs the window before.
func checkNumbers(t *testing.T, path string, style ResetStyle, now time.Time, d *weir.Decision) {
	t.Helper()
	header := http.Header{}
	Headers{Reset: style}.Set(header, d)
	number := func(name string) int64 {
		lines := header.Values(name)
		if len(lines) != 1 || strings.Trim(lines[0], "0123456789") != "" {
			t.Fatalf("%s: %s is %q", path, name, lines)
		}
		n, err := strconv.ParseInt(lines[0], 10, 64)
		if err != nil {
			t.Fatalf("%s: %s: %v", path, name, err)
		}
		return n
	}
	if limit, remaining := number("X-RateLimit-Limit"), number("X-RateLimit-Remaining"); limit != 2 || remaining > limit {
		t.Errorf("%s: limit %d, remaining %d", path, limit, remaining)
	}
	longest := int64(60)
	if d.Checks[0].Limit.Algorithm() == weir.SlidingCounter {
		longest = 120
	}
	reset, least := number("X-RateLimit-Reset"), int64(0)
	if style == Epoch {
		least = now.Unix()
		longest += now.Add(time.Second - 1).Unix() // rounded up
	}
	if reset < least || reset > longest {
		t.Errorf("%s: reset %d is outside %d to %d", path, reset, least, longest)
	}
	if item := header.Get("RateLimit"); !strings.HasPrefix(item, `"default";r=`) || strings.Contains(item, "q=") {
		t.Errorf("%s: RateLimit is %s", path, item)
	}
	if policy := header.Get("RateLimit-Policy"); policy != `"default";q=2;w=60` {
		t.Errorf("%s: RateLimit-Policy is %s", path, policy)
	}
}

// B61: what clients read comes from the enforced limit alone, whatever the one in
// shadow beside it says.
func TestB61HeadersComeFromTheEnforcedLimit(t *testing.T) {
	store, _ := newStore(t)
	checks := []weir.Check{
		{Key: weir.Key{Layer: "s"}, Limit: limit(t, weir.PerMinute(1), perMinute), Cost: 1, Group: &weir.Group{Shadow: true}},
		{Key: weir.Key{Layer: "e"}, Limit: limit(t, weir.PerMinute(3), perMinute), Cost: 1, Group: &weir.Group{}},
	}
	decide := func(r *http.Request) (weir.Decision, error) {
		results := make([]weir.Result, len(checks))
		if err := store.Take(r.Context(), checks, results); err != nil {
			return weir.Decision{}, err
		}
		return weir.Decide(weir.NewID(), checks, results), nil
	}
	h := NewFunc(store, decide).Wrap(ok())
	var codes []int
	for _, left := range []string{"2", "1", "0", "0"} {
		answer := send(h, from("203.0.113.7"))
		codes = append(codes, answer.StatusCode)
		if got := answer.Header.Get("X-RateLimit-Remaining"); got != left {
			t.Errorf("remaining %s, want %s", got, left)
		}
		if policy := answer.Header.Get("RateLimit-Policy"); policy != `"e";q=3;w=60` {
			t.Errorf("RateLimit-Policy is %s", policy)
		}
	}
	if want := []int{200, 200, 200, 429}; !slices.Equal(codes, want) {
		t.Errorf("got %v, want %v", codes, want)
	}
}
