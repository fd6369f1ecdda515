package envoyrls

import (
	"math"
	"time"

	pb "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/weirhq/weir/internal/descriptor"
)

// line is what one status is made of, in one piece of memory for all of them.
type line struct {
	status pb.RateLimitResponse_DescriptorStatus
	limit  pb.RateLimitResponse_RateLimit
	reset  durationpb.Duration
}

func (s *Service) responseOf(in *pb.RateLimitRequest, a *descriptor.Answer) *pb.RateLimitResponse {
	lines := make([]line, len(a.Statuses))
	out := &pb.RateLimitResponse{
		OverallCode: code(!a.Allowed),
		Statuses:    make([]*pb.RateLimitResponse_DescriptorStatus, len(a.Statuses)),
	}
	for i := range lines {
		lines[i].fill(&a.Statuses[i])
		out.Statuses[i] = &lines[i].status
	}
	if s.options.Headers != (Headers{}) {
		out.ResponseHeadersToAdd = s.options.Headers.of(a)
	}
	if s.options.Metadata {
		out.DynamicMetadata = metadataOf(in, a)
	}
	return out
}

func (l *line) fill(s *descriptor.Status) {
	l.status.Code = code(s.Over)
	l.status.LimitRemaining = s.Remaining
	if s.Rule == nil || s.Rule.Unlimited {
		return
	}
	l.limit.Name, l.limit.RequestsPerUnit, l.limit.Unit = s.Rule.Name, s.Rule.Requests, unitCodes[s.Rule.Unit]
	l.reset.Seconds = seconds(s.Reset)
	l.status.CurrentLimit, l.status.DurationUntilReset = &l.limit, &l.reset
}

func code(over bool) pb.RateLimitResponse_Code {
	if over {
		return pb.RateLimitResponse_OVER_LIMIT
	}
	return pb.RateLimitResponse_OK
}

var unitCodes = [...]pb.RateLimitResponse_RateLimit_Unit{
	descriptor.Other:  pb.RateLimitResponse_RateLimit_UNKNOWN,
	descriptor.Second: pb.RateLimitResponse_RateLimit_SECOND,
	descriptor.Minute: pb.RateLimitResponse_RateLimit_MINUTE,
	descriptor.Hour:   pb.RateLimitResponse_RateLimit_HOUR,
	descriptor.Day:    pb.RateLimitResponse_RateLimit_DAY,
	descriptor.Week:   pb.RateLimitResponse_RateLimit_WEEK,
	descriptor.Month:  pb.RateLimitResponse_RateLimit_MONTH,
	descriptor.Year:   pb.RateLimitResponse_RateLimit_YEAR,
}

// seconds are rounded up: who waits that long waits long enough.
func seconds(d time.Duration) int64 {
	if d > math.MaxInt64-time.Second {
		return int64(d / time.Second)
	}
	return int64((d + time.Second - 1) / time.Second)
}
