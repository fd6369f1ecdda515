package envoyrls

import (
	"strconv"

	core "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/descriptor"
)

// Headers are names of response headers. The zero value adds none.
type Headers struct {
	Limit, Remaining, Reset string
	// RetryAfter is of refusals alone: whole seconds after which the same request
	// passes; not there where it never does. "" for none, as the predecessor.
	RetryAfter string
}

// XRateLimit are the names that weir's other fronts use, of what the predecessor
// tells.
var XRateLimit = Headers{Limit: "X-RateLimit-Limit", Remaining: "X-RateLimit-Remaining", Reset: "X-RateLimit-Reset"}

// of are the headers of an answer: of the limit that refuses, the last of several;
// else of the one with the least left, the first of several. Reset is in seconds
// from now.
func (h Headers) of(a *descriptor.Answer) []*core.HeaderValue {
	var tightest *descriptor.Status
	for i := range a.Statuses {
		s := &a.Statuses[i]
		switch {
		case s.Rule == nil || s.Rule.Unlimited:
		case s.Over && !s.Rule.Quota:
			tightest = s
		case tightest == nil || s.Remaining < tightest.Remaining:
			tightest = s
		}
	}
	if tightest == nil {
		return nil
	}
	fields := []*core.HeaderValue{
		{Key: h.Limit, Value: strconv.FormatUint(uint64(tightest.Rule.Requests), 10)},
		{Key: h.Remaining, Value: strconv.FormatUint(uint64(tightest.Remaining), 10)},
		{Key: h.Reset, Value: strconv.FormatInt(seconds(tightest.Reset), 10)},
	}
	if h.RetryAfter != "" && !a.Allowed && a.RetryAfter != weir.Never {
		fields = append(fields, &core.HeaderValue{Key: h.RetryAfter, Value: strconv.FormatInt(max(1, seconds(a.RetryAfter)), 10)})
	}
	return fields
}
