package envoyrls

import (
	common "github.com/envoyproxy/go-control-plane/envoy/extensions/common/ratelimit/v3"
	pb "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	envoytype "github.com/envoyproxy/go-control-plane/envoy/type/v3"

	"github.com/weirhq/weir/internal/descriptor"
)

// maxDescriptors bounds what one request asks for.
const maxDescriptors = 100

// maxHits is above what any limit admits, and what a store counts exactly.
const maxHits = 1 << 53

var units = map[envoytype.RateLimitUnit]descriptor.Unit{
	envoytype.RateLimitUnit_SECOND: descriptor.Second,
	envoytype.RateLimitUnit_MINUTE: descriptor.Minute,
	envoytype.RateLimitUnit_HOUR:   descriptor.Hour,
	envoytype.RateLimitUnit_DAY:    descriptor.Day,
	envoytype.RateLimitUnit_MONTH:  descriptor.Month,
	envoytype.RateLimitUnit_YEAR:   descriptor.Year,
}

// requestOf reads a request; the error is a badRequest. All entries share one
// allocation.
func requestOf(in *pb.RateLimitRequest) (*descriptor.Request, error) {
	switch n := len(in.Descriptors); {
	case in.Domain == "":
		return nil, badRequest("The domain is empty.")
	case n == 0:
		return nil, badRequest("There are no descriptors.")
	case n > maxDescriptors:
		return nil, badRequest("There are more than 100 descriptors.")
	}
	entries := 0
	for _, d := range in.Descriptors {
		entries += len(d.GetEntries())
	}
	all := make([]descriptor.Entry, 0, entries)
	r := &descriptor.Request{Domain: in.Domain, Descriptors: make([]descriptor.Descriptor, len(in.Descriptors))}
	for i, d := range in.Descriptors {
		start := len(all)
		for _, e := range d.GetEntries() {
			all = append(all, descriptor.Entry{Key: e.GetKey(), Value: e.GetValue()})
		}
		into := &r.Descriptors[i]
		into.Entries = all[start:len(all):len(all)]
		into.Hits, into.GiveBack = hitsOf(in, d), d.GetIsNegativeHits()
		if d.GetLimit() == nil {
			continue
		}
		unit, known := units[d.Limit.Unit]
		if !known {
			return nil, badRequest("A limit in the request has no unit.")
		}
		into.Override = &descriptor.Override{Requests: d.Limit.RequestsPerUnit, Unit: unit}
	}
	return r, nil
}

// hitsOf: a descriptor's own hits may be 0. The request's are 1 where they are 0,
// which is how the protocol says that they are not given.
func hitsOf(in *pb.RateLimitRequest, d *common.RateLimitDescriptor) int64 {
	if own := d.GetHitsAddend(); own != nil {
		return int64(min(own.Value, maxHits))
	}
	return max(1, int64(in.HitsAddend))
}
