package clients

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/httplimit"
)

// What ratelimit-header-parser reads of an answer; nil where it finds nothing.
type parsed struct {
	Limit, Remaining *int64
	Reset            *int64 // seconds since the epoch
}

// Every form that is on by default, or by one option, is read right by
// ratelimit-header-parser 0.1.0; the bare form of the draft is not, and is
// therefore off by default. Once there is a RateLimit field the parser looks at
// nothing else, X-RateLimit-* neither.
func TestHeadersAreReadByRatelimitHeaderParser(t *testing.T) {
	limit, err := weir.NewLimit(weir.PerMinute(60))
	if err != nil {
		t.Fatal(err)
	}
	install(t) // before the clock is read: it may take its time
	now := time.Now()
	check := weir.Check{Key: weir.Key{Layer: "gateway"}, Limit: limit, Cost: 1}
	result := weir.Result{Allowed: true, Limit: 60, Remaining: 41, ResetAfter: 19 * time.Second, At: now.UnixMicro()}
	decision := weir.Decide(7, []weir.Check{check}, []weir.Result{result})

	forms := []struct {
		name    string
		headers httplimit.Headers
		blind   bool // the parser finds nothing
	}{
		{"the default", httplimit.Headers{}, false},
		{"reset as a delta", httplimit.Headers{Reset: httplimit.Delta}, false},
		{"no X-RateLimit fields", httplimit.Headers{OmitLegacy: true}, false},
		{"no IETF fields", httplimit.Headers{OmitIETF: true}, false},
		{"no IETF fields, reset as a delta", httplimit.Headers{OmitIETF: true, Reset: httplimit.Delta}, false},
		{"the names of both drafts", httplimit.Headers{IETF: httplimit.Both}, false},
		{"the draft's own parameters alone", httplimit.Headers{Bare: true}, true},
		{"the same of both drafts", httplimit.Headers{Bare: true, IETF: httplimit.Both}, true},
	}
	var sets []map[string]string
	for _, form := range forms {
		header, set := http.Header{}, map[string]string{}
		form.headers.Set(header, &decision)
		for name := range header {
			set[name] = header.Get(name)
		}
		sets = append(sets, set)
	}
	stdin, err := json.Marshal(sets)
	if err != nil {
		t.Fatal(err)
	}
	var all []*parsed
	node(t, &all, string(stdin), "parse.mjs")
	if len(all) != len(forms) {
		t.Fatalf("%d answers for %d forms", len(all), len(forms))
	}
	for i, form := range forms {
		got := all[i]
		read := got != nil && got.Limit != nil && got.Remaining != nil && got.Reset != nil
		switch {
		case form.blind && read:
			t.Errorf("%s: is read now: it can be on by default", form.name)
		case !form.blind && (!read || *got.Limit != 60 || *got.Remaining != 41):
			t.Errorf("%s: %v is read as %+v", form.name, sets[i], got)
		case !form.blind:
			// A delta is added to the parser's own clock, a while later.
			if late := *got.Reset - now.Add(19*time.Second).Unix(); late < 0 || late > 10 {
				t.Errorf("%s: the reset is read %d s late", form.name, late)
			}
		}
	}
}
