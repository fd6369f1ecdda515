package grpclimit_test

import (
	"context"
	"fmt"
	"net"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/grpclimit"
)

// Two calls an hour for each address.
func Example() {
	limiter, err := weir.New(weir.PerHour(2), weir.WithAlgorithm(weir.SlidingLog))
	if err != nil {
		panic(err)
	}
	defer limiter.Close()
	limit := grpclimit.New(limiter, grpclimit.ByPeer())
	server := grpc.NewServer(grpc.UnaryInterceptor(limit.Unary()), grpc.StreamInterceptor(limit.Stream()))
	healthpb.RegisterHealthServer(server, health.NewServer())
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go server.Serve(listener)
	defer server.Stop()

	conn, err := grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	for range 3 {
		answer, err := healthpb.NewHealthClient(conn).Check(context.Background(), &healthpb.HealthCheckRequest{})
		if err == nil {
			fmt.Println(answer.Status)
			continue
		}
		fmt.Println(status.Code(err))
		for _, detail := range status.Convert(err).Details() {
			switch d := detail.(type) {
			case *errdetails.QuotaFailure:
				fmt.Println(d.Violations[0].Subject, d.Violations[0].Description)
			case *errdetails.RetryInfo:
				fmt.Println("come back in an hour:", d.RetryDelay.AsDuration().Minutes() > 59)
			}
		}
	}
	// Output:
	// SERVING
	// SERVING
	// ResourceExhausted
	// default The limit is 2/h.
	// come back in an hour: true
}
