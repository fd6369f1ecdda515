package grpclimit

import (
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/weirhq/weir"
)

// refusal is the status of a refused call. It names the limit, never the key: a
// caller knows who it is, and others should not.
func (i *Interceptor) refusal(r *weir.Result) error {
	rate := i.limit.Rate()
	quota := &errdetails.QuotaFailure{Violations: []*errdetails.QuotaFailure_Violation{{
		Subject:     i.name,
		Description: "The limit is " + rate.String() + ".",
		QuotaId:     i.name,
		QuotaValue:  rate.Count,
	}}}
	if r.RetryAfter == weir.Never {
		s, _ := status.New(codes.ResourceExhausted, "This call asks for more than the limit ever admits; waiting does not help.").WithDetails(quota)
		return s.Err()
	}
	// WithDetails fails for a status of OK alone.
	s, _ := status.New(codes.ResourceExhausted, "Request quota exceeded. Wait as long as RetryInfo says.").
		WithDetails(quota, &errdetails.RetryInfo{RetryDelay: durationpb.New(r.RetryAfter)})
	return s.Err()
}
