package httplimit

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weirhq/weir"
)

const at = 1_700_000_000_250_000 // µs: a quarter past a second

func limit(t *testing.T, rate weir.Rate, options ...weir.LimitOption) *weir.Limit {
	t.Helper()
	l, err := weir.NewLimit(rate, options...)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func check(t *testing.T, layer, name string, rate weir.Rate) weir.Check {
	t.Helper()
	return weir.Check{Key: weir.Key{Layer: layer, Limit: name}, Limit: limit(t, rate, weir.WithAlgorithm(weir.SlidingCounter)), Cost: 1, Group: &weir.Group{}}
}

func allowed(capacity, remaining int64, reset time.Duration) weir.Result {
	return weir.Result{Allowed: true, Charged: true, Limit: capacity, Remaining: remaining, ResetAfter: reset, At: at}
}

func refused(capacity int64, wait, reset time.Duration) weir.Result {
	return weir.Result{Reason: weir.OverLimit, Limit: capacity, RetryAfter: wait, NextAfter: wait, ResetAfter: reset, At: at}
}

func TestHeadersOfDecisions(t *testing.T) {
	edge := check(t, "edge", "ip", weir.PerMinute(1000))
	gateway := check(t, "gateway", "plan", weir.PerMinute(60))
	shadow := check(t, "gateway", "next", weir.PerMinute(1))
	shadow.Group = &weir.Group{Shadow: true}
	perSecond := check(t, "gateway", "burst", weir.Per(10, 100*time.Millisecond))
	vast := check(t, "vast", "x", weir.PerSecond(1))
	vast.Limit = limit(t, weir.PerSecond(1<<53), weir.WithAlgorithm(weir.FixedWindow))
	long := check(t, strings.Repeat("long.", 80), "x", weir.PerHour(5))
	quoted := check(t, "a\"b\\c\u00e9", "x", weir.PerHour(5))

	for _, c := range []struct {
		name    string
		headers Headers
		checks  []weir.Check
		results []weir.Result
		want    http.Header
	}{
		{
			name:    "the smallest remaining is the one told",
			checks:  []weir.Check{edge, gateway},
			results: []weir.Result{allowed(1000, 900, time.Minute), allowed(60, 59, 13*time.Second+time.Microsecond)},
			want: http.Header{
				"X-Ratelimit-Limit": {"60"}, "X-Ratelimit-Remaining": {"59"},
				"X-Ratelimit-Reset": {"1700000014"}, // …00.25 + 13.000001, rounded up
				"Ratelimit-Policy":  {`"edge";q=1000;w=60, "gateway";q=60;w=60`},
				"Ratelimit":         {`"gateway";r=59;t=14;limit=60;remaining=59;reset=14`},
			},
		},
		{
			name:    "refused: the longest wait is the one told, rounded up",
			checks:  []weir.Check{edge, gateway},
			results: []weir.Result{allowed(1000, 3, time.Minute), refused(60, 1100*time.Millisecond, 30*time.Second)},
			want: http.Header{
				"X-Ratelimit-Limit": {"60"}, "X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"1700000031"},
				"Ratelimit-Policy": {`"edge";q=1000;w=60, "gateway";q=60;w=60`},
				"Ratelimit":        {`"gateway";r=0;t=30;limit=60;remaining=0;reset=30`}, "Retry-After": {"2"},
			},
		},
		{
			name:    "a wait of a microsecond is a second, never 0",
			checks:  []weir.Check{gateway},
			results: []weir.Result{refused(60, time.Microsecond, time.Second)},
			headers: Headers{OmitIETF: true, OmitLegacy: true},
			want:    http.Header{"Retry-After": {"1"}},
		},
		{
			name:    "never has no Retry-After",
			checks:  []weir.Check{gateway},
			results: []weir.Result{{Reason: weir.ExceedsCapacity, Limit: 60, Remaining: 60, RetryAfter: weir.Never, NextAfter: weir.Never, At: at}},
			headers: Headers{OmitIETF: true},
			want:    http.Header{"X-Ratelimit-Limit": {"60"}, "X-Ratelimit-Remaining": {"60"}, "X-Ratelimit-Reset": {"1700000001"}},
		},
		{
			name:    "shadow is never told, not even by the names it makes longer",
			checks:  []weir.Check{gateway, shadow},
			results: []weir.Result{allowed(60, 59, time.Second), refused(1, time.Minute, time.Minute)},
			headers: Headers{OmitLegacy: true},
			want:    http.Header{"Ratelimit-Policy": {`"gateway";q=60;w=60`}, "Ratelimit": {`"gateway";r=59;t=1;limit=60;remaining=59;reset=1`}},
		},
		{
			name:    "two limits of a layer are told apart; a window below a second is left out",
			checks:  []weir.Check{gateway, perSecond},
			results: []weir.Result{allowed(60, 59, time.Second), allowed(10, 9, 100*time.Millisecond)},
			headers: Headers{OmitLegacy: true},
			want:    http.Header{"Ratelimit-Policy": {`"gateway/plan";q=60;w=60, "gateway/burst";q=10`}, "Ratelimit": {`"gateway/burst";r=9;t=1;limit=10;remaining=9;reset=1`}},
		},
		{
			name:    "names are RFC 9651 strings",
			checks:  []weir.Check{quoted},
			results: []weir.Result{allowed(5, 4, time.Hour)},
			headers: Headers{OmitLegacy: true},
			want:    http.Header{"Ratelimit-Policy": {`"a\"b\\c?";q=5;w=3600`}, "Ratelimit": {`"a\"b\\c?";r=4;t=3600;limit=5;remaining=4;reset=3600`}},
		},
		{
			name:    "delta (B39)",
			checks:  []weir.Check{gateway},
			results: []weir.Result{allowed(60, 59, 13*time.Second+time.Microsecond)},
			headers: Headers{Reset: Delta, OmitIETF: true},
			want:    http.Header{"X-Ratelimit-Limit": {"60"}, "X-Ratelimit-Remaining": {"59"}, "X-Ratelimit-Reset": {"14"}},
		},
		{
			name:    "delta of an untouched key is 0",
			checks:  []weir.Check{gateway},
			results: []weir.Result{allowed(60, 60, 0)},
			headers: Headers{Reset: Delta, OmitIETF: true},
			want:    http.Header{"X-Ratelimit-Limit": {"60"}, "X-Ratelimit-Remaining": {"60"}, "X-Ratelimit-Reset": {"0"}},
		},
		{
			name:    "the draft's own parameters alone",
			checks:  []weir.Check{gateway},
			results: []weir.Result{allowed(60, 59, 13*time.Second)},
			headers: Headers{OmitLegacy: true, Bare: true},
			want:    http.Header{"Ratelimit-Policy": {`"gateway";q=60;w=60`}, "Ratelimit": {`"gateway";r=59;t=13`}},
		},
		{
			name:    "the names of two drafts in one item",
			checks:  []weir.Check{gateway},
			results: []weir.Result{allowed(60, 59, 13*time.Second)},
			headers: Headers{OmitLegacy: true, IETF: Both},
			want: http.Header{
				"Ratelimit-Policy": {`"gateway";q=60;w=60`},
				"Ratelimit":        {`"gateway";r=59;t=13;a=59;w=13;limit=60;remaining=59;reset=13`},
			},
		},
		{
			name:    "a count above what a structured field holds",
			checks:  []weir.Check{vast},
			results: []weir.Result{allowed(1<<53, 1<<53-1, time.Second)},
			headers: Headers{Bare: true},
			want: http.Header{
				"X-Ratelimit-Limit": {"9007199254740992"}, "X-Ratelimit-Remaining": {"9007199254740991"}, "X-Ratelimit-Reset": {"1700000002"},
				"Ratelimit-Policy": {`"vast";q=999999999999999;w=1`}, "Ratelimit": {`"vast";r=999999999999999;t=1`},
			},
		},
		{
			name:    "no reset, and names of one's own",
			checks:  []weir.Check{gateway},
			results: []weir.Result{allowed(60, 59, 13*time.Second)},
			headers: Headers{Reset: NoReset, Bare: true, Names: Names{Limit: "x-rate-limit-limit", Remaining: "X-Rate-Limit-Remaining", RateLimit: "rl"}},
			want: http.Header{
				"X-Rate-Limit-Limit": {"60"}, "X-Rate-Limit-Remaining": {"59"},
				"Ratelimit-Policy": {`"gateway";q=60;w=60`}, "Rl": {`"gateway";r=59;t=13`},
			},
		},
		{
			name:    "more text than a block has room for",
			checks:  []weir.Check{edge, long, gateway},
			results: []weir.Result{allowed(1000, 999, time.Minute), allowed(5, 4, time.Minute), allowed(60, 59, time.Second)},
			want: http.Header{
				"X-Ratelimit-Limit": {"5"}, "X-Ratelimit-Remaining": {"4"}, "X-Ratelimit-Reset": {"1700000061"},
				"Ratelimit-Policy": {`"edge";q=1000;w=60, "` + long.Key.Layer + `";q=5;w=3600, "gateway";q=60;w=60`},
				"Ratelimit":        {`"` + long.Key.Layer + `";r=4;t=60;limit=5;remaining=4;reset=60`},
			},
		},
		{name: "nothing checked, nothing told", want: http.Header{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := weir.Decide(7, c.checks, c.results)
			got := http.Header{}
			for name := range c.want {
				got[name] = []string{"a stale one", "and another"}
			}
			c.headers.Set(got, &d)
			c.want.Set("Weir-Decision", "0000000000000007")
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// A field's value cannot be changed through another's, as by append.
func TestFieldsShareNothing(t *testing.T) {
	d := weir.Decide(7, []weir.Check{check(t, "gateway", "plan", weir.PerMinute(60))}, []weir.Result{allowed(60, 59, time.Second)})
	header := http.Header{}
	Headers{}.Set(header, &d)
	want := header.Clone()
	for _, name := range []string{"X-RateLimit-Limit", "RateLimit-Policy", "Weir-Decision"} {
		header.Add(name, "more")
		want.Add(name, "more")
	}
	if diff := cmp.Diff(want, header); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestRetryAfterIsRoundedUp(t *testing.T) {
	for wait, want := range map[time.Duration]int64{0: 1, 1: 1, time.Second: 1, time.Second + 1: 2, time.Hour: 3600} {
		if got := RetryAfterSeconds(wait); got != want {
			t.Errorf("%s: %d, want %d", wait, got, want)
		}
	}
}

func TestDecisionIsLeftOut(t *testing.T) {
	d := weir.Decide(7, nil, nil)
	header := http.Header{}
	Headers{OmitDecision: true}.Set(header, &d)
	if len(header) != 0 {
		t.Errorf("got %v", header)
	}
}

func TestRefusalBodies(t *testing.T) {
	gateway := check(t, "gateway", "plan", weir.PerMinute(60))
	edge := check(t, "edge", "ip", weir.PerMinute(1000))
	for _, c := range []struct {
		name     string
		decision weir.Decision
		status   int
		body     string
	}{
		{
			"by a limit", weir.Decide(7, []weir.Check{edge, gateway}, []weir.Result{allowed(1000, 1, 0), refused(60, time.Second, time.Second)}), 429,
			`{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":"Request quota exceeded","status":429,"detail":"Wait as long as Retry-After says.","violated-policies":["gateway"],"decision":"0000000000000007"}`,
		},
		{
			"for ever", weir.Decide(7, []weir.Check{gateway}, []weir.Result{refused(60, weir.Never, 0)}), 429,
			`{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","title":"Request quota exceeded","status":429,"detail":"This request asks for more than the limit ever admits; waiting does not help.","violated-policies":["gateway"],"decision":"0000000000000007"}`,
		},
		{
			"by a list", weir.Deny(7, "gateway: unknown API key"), 403,
			`{"type":"about:blank","title":"Forbidden","status":403,"detail":"gateway: unknown API key","decision":"0000000000000007"}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			w.Header().Set("Content-Length", "5") // of a body that is not sent
			Refuse(w, &c.decision)
			if w.Code != c.status || w.Body.String() != c.body+"\n" {
				t.Errorf("got %d %s\nwant %d %s", w.Code, w.Body, c.status, c.body)
			}
			want := http.Header{"Content-Type": {"application/problem+json"}, "Cache-Control": {"no-store"}}
			if diff := cmp.Diff(want, w.Header()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// What is worded beforehand is what would be worded for each answer, also where a
// limiter's capacity is not what its limit says.
func TestConstantTextsChangeNothing(t *testing.T) {
	for _, l := range []*weir.Limit{
		limit(t, weir.PerMinute(60)), limit(t, weir.PerSecond(0)), limit(t, weir.PerHour(1<<31), weir.WithBurst(7)),
		limit(t, weir.PerSecond(1<<53), weir.WithAlgorithm(weir.FixedWindow)),
	} {
		c := weir.Check{Key: weir.Key{Layer: `a "name"`}, Limit: l, Cost: 1}
		known := newConstant(c)
		for _, capacity := range []int64{l.Capacity(), l.Capacity() + 1, 0} {
			d := weir.Decide(7, []weir.Check{c}, []weir.Result{allowed(capacity, capacity, time.Minute)})
			got, want := http.Header{}, http.Header{}
			g, w := new(block).fields(got), new(block).fields(want)
			(&Headers{}).set(&g, &d, &known)
			(&Headers{}).set(&w, &d, &constant{})
			if diff := cmp.Diff(want, got); diff != "" || want["X-Ratelimit-Limit"][0] != strconv.FormatInt(capacity, 10) {
				t.Errorf("%v, capacity %d: %v\n%s", l, capacity, want, diff)
			}
		}
	}
}
