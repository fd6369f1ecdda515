// Package noop answers as a rate limiter does, and decides nothing: the floor under
// services.
package noop

import (
	"context"
	"net"

	pb "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	"google.golang.org/grpc"
)

// ServeRLS is Envoy's rate limit service, with answers of the usual size.
func ServeRLS(l net.Listener) error {
	server := grpc.NewServer()
	pb.RegisterRateLimitServiceServer(server, RLS{})
	return server.Serve(l)
}

// RLS answers a call of it.
type RLS struct {
	pb.UnimplementedRateLimitServiceServer
}

// ShouldRateLimit answers that every descriptor has a limit with room.
func (RLS) ShouldRateLimit(_ context.Context, in *pb.RateLimitRequest) (*pb.RateLimitResponse, error) {
	out := &pb.RateLimitResponse{OverallCode: pb.RateLimitResponse_OK}
	for range in.Descriptors {
		out.Statuses = append(out.Statuses, &pb.RateLimitResponse_DescriptorStatus{
			Code:           pb.RateLimitResponse_OK,
			CurrentLimit:   &pb.RateLimitResponse_RateLimit{RequestsPerUnit: 4000000000, Unit: pb.RateLimitResponse_RateLimit_MINUTE},
			LimitRemaining: 3999999999,
		})
	}
	return out, nil
}
