package main

import (
	"context"
	"log"
	"net"

	pb "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	"google.golang.org/grpc"
)

// nothing is a service that has an answer of the usual size without a decision.
type nothing struct {
	pb.UnimplementedRateLimitServiceServer
}

func serveNothing(address string) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		log.Fatal(err)
	}
	server := grpc.NewServer()
	pb.RegisterRateLimitServiceServer(server, nothing{})
	log.Fatal(server.Serve(listener))
}

func (nothing) ShouldRateLimit(_ context.Context, in *pb.RateLimitRequest) (*pb.RateLimitResponse, error) {
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
