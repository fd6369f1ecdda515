package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	ratelimitv3 "github.com/envoyproxy/go-control-plane/envoy/extensions/common/ratelimit/v3"
	pb "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/weirhq/weir/bench/callers"
)

const (
	values      = 10_000 // that each descriptor takes
	connections = 2
)

func dial(address string) (all []*grpc.ClientConn, err error) {
	for range connections {
		c, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

func (v *server) hangUp() {
	for _, c := range v.connections {
		c.Close()
	}
}

// load lets callers ask for a while. An answer that is not OK, or has another number
// of statuses than there are descriptors, or none of their limits, is an error.
func (v *server) load(n, descriptors int, during time.Duration) (callers.Load, error) {
	ctx, cancel := context.WithTimeout(context.Background(), during+20*time.Second)
	defer cancel()
	return callers.Ask(n, during, func(caller int) error {
		client := pb.NewRateLimitServiceClient(v.connections[caller%len(v.connections)])
		out, err := client.ShouldRateLimit(ctx, request(descriptors))
		if err != nil {
			return err
		}
		return check(out, descriptors)
	})
}

func check(out *pb.RateLimitResponse, descriptors int) error {
	if out.OverallCode != pb.RateLimitResponse_OK || len(out.Statuses) != descriptors {
		return fmt.Errorf("an answer that is not OK %d times: %v", descriptors, out)
	}
	for _, s := range out.Statuses {
		if s.CurrentLimit.GetRequestsPerUnit() != 4000000000 {
			return fmt.Errorf("a descriptor without its limit: %v", out)
		}
	}
	return nil
}

var names = [...]string{"client", "tenant", "route"}

// request has the first descriptors of names, each of a value of its own.
func request(descriptors int) *pb.RateLimitRequest {
	r := &pb.RateLimitRequest{Domain: "bench"}
	for _, name := range names[:descriptors] {
		r.Descriptors = append(r.Descriptors, entry(name, known[rand.IntN(values)]))
	}
	return r
}

func entry(key, value string) *ratelimitv3.RateLimitDescriptor {
	return &ratelimitv3.RateLimitDescriptor{Entries: []*ratelimitv3.RateLimitDescriptor_Entry{{Key: key, Value: value}}}
}

var known = func() (all [values]string) {
	for i := range all {
		all[i] = fmt.Sprintf("value-%08d", i)
	}
	return all
}()

// checkLimits wants what was set up: of 5 a day the sixth is refused, for each value
// by itself. A server that decides nothing refuses none.
func (v *server) checkLimits() error {
	client := pb.NewRateLimitServiceClient(v.connections[0])
	for value := range 20 {
		for n := range 6 {
			in := &pb.RateLimitRequest{Domain: "bench", Descriptors: []*ratelimitv3.RateLimitDescriptor{entry("setup", fmt.Sprint(value))}}
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			out, err := client.ShouldRateLimit(ctx, in, grpc.WaitForReady(true))
			cancel()
			if err != nil {
				return err
			}
			over := v.name != "noop" && n == 5
			if (out.OverallCode == pb.RateLimitResponse_OVER_LIMIT) != over {
				return fmt.Errorf("call %d of value %d: %v", n+1, value, out)
			}
		}
	}
	return nil
}
