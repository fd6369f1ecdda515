package envoyrls

import (
	"strconv"

	core "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"

	"github.com/weirhq/weir/internal/descriptor"
)

// Headers are names of response headers. The zero value adds none.
type Headers struct{ Limit, Remaining, Reset string }

// XRateLimit are the names that weir's other fronts use.
var XRateLimit = Headers{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"}

// of are the headers of an answer: of the limit that refuses, the last of several;
// else of the one with the least left, the first of several. Reset is in seconds
// from now. Without any limit there are none.
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
	return []*core.HeaderValue{
		{Key: h.Limit, Value: strconv.FormatUint(uint64(tightest.Rule.Requests), 10)},
		{Key: h.Remaining, Value: strconv.FormatUint(uint64(tightest.Remaining), 10)},
		{Key: h.Reset, Value: strconv.FormatInt(seconds(tightest.Reset), 10)},
	}
}
