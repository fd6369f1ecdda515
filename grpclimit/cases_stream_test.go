package grpclimit

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	pb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/weirhq/weir"
)

var fixedWindow = weir.WithAlgorithm(weir.FixedWindow)

// B69: streams were charged once at open, and unlimited messages followed; late
// refusals could set no headers. With a charge for each message five are
// processed, and the sixth ends the stream. The bubble ends only when no
// goroutine is left, of the handler's neither.
func TestB69MessagesAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := newLimiter(t, atT0, weir.PerMinute(5), fixedWindow)
		s := &service{}
		var cause error
		s.stream = func(stream pb.TestService_FullDuplexCallServer) error {
			ended := make(chan struct{})
			go func() { // as of a handler that pushes on its own
				defer close(ended)
				<-stream.Context().Done()
				cause = stream.Context().Err()
			}()
			err := s.echo(stream)
			<-ended
			return err
		}
		client, stop := serve(t, s, New(limiter, one, WithPerMessage()), false)
		defer stop()

		stream, err := client.FullDuplexCall(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		answered := 0
		for range 8 {
			if stream.Send(&pb.StreamingOutputCallRequest{}) != nil {
				break // the stream is over: Recv says why
			}
			if _, err = stream.Recv(); err != nil {
				break
			}
			answered++
		}
		if answered != 5 || s.ran() != 5 {
			t.Errorf("%d of 8 messages were answered, %d processed", answered, s.ran())
		}
		checkStatus(t, err, codes.ResourceExhausted,
			&errdetails.QuotaFailure{Violations: []*errdetails.QuotaFailure_Violation{{Subject: "default", Description: "The limit is 5/min.", QuotaId: "default", QuotaValue: 5}}},
			&errdetails.RetryInfo{RetryDelay: durationpb.New(time.Minute)})
		checkMetadata(t, stream.Trailer(), metadata.MD{"x-ratelimit-limit": {"5"}, "x-ratelimit-remaining": {"0"}, "x-ratelimit-reset": {"1767225660"}})
		if !errors.Is(cause, context.Canceled) {
			t.Errorf("the stream's context ended with %v", cause)
		}
	})
}

// B69: per stream all eight pass, and only opens count.
func TestB69StreamsAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := newLimiter(t, atT0, weir.PerMinute(5), fixedWindow)
		s := &service{}
		client, stop := serve(t, s, New(limiter, one), false)
		defer stop()
		for open := range 5 {
			stream, err := client.FullDuplexCall(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			for n := range 8 {
				stream.Send(&pb.StreamingOutputCallRequest{})
				if _, err := stream.Recv(); err != nil {
					t.Fatalf("stream %d, message %d: %v", open, n, err)
				}
			}
			header, _ := stream.Header()
			checkMetadata(t, header, metadata.MD{"x-ratelimit-limit": {"5"}})
			stream.CloseSend()
			if _, err := stream.Recv(); err != io.EOF {
				t.Errorf("stream %d ends with %v", open, err)
			}
		}
		stream, err := client.FullDuplexCall(context.Background())
		if err == nil {
			_, err = stream.Recv()
		}
		if status.Code(err) != codes.ResourceExhausted || s.ran() != 5*8 {
			t.Errorf("the sixth stream: %v; %d messages were processed", err, s.ran())
		}
		checkMetadata(t, stream.Trailer(), metadata.MD{"x-ratelimit-remaining": {"0"}, "grpc-retry-pushback-ms": {"60000"}})
	})
}

// B69: the refusal is the stream's end, whatever the handler makes of it.
func TestB69HandlersCannotHideARefusal(t *testing.T) {
	for name, handler := range map[string]func(pb.TestService_FullDuplexCallServer) error{
		"returns nothing": func(stream pb.TestService_FullDuplexCallServer) error {
			for {
				if _, err := stream.Recv(); err != nil {
					return nil
				}
			}
		},
		"returns another error": func(stream pb.TestService_FullDuplexCallServer) error {
			for {
				if _, err := stream.Recv(); err != nil {
					return errors.New("receiving failed")
				}
			}
		},
		"goes on": func(stream pb.TestService_FullDuplexCallServer) error {
			for range 9 {
				stream.Recv()
			}
			if err := stream.Send(&pb.StreamingOutputCallResponse{}); status.Code(err) != codes.ResourceExhausted {
				return errors.New("more can be sent")
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			limiter := newLimiter(t, atT0, weir.PerMinute(5), fixedWindow)
			client, stop := serve(t, &service{stream: handler}, New(limiter, one, WithPerMessage()), false)
			defer stop()
			stream, err := client.FullDuplexCall(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			for range 8 {
				stream.Send(&pb.StreamingOutputCallRequest{})
			}
			if _, err := stream.Recv(); status.Code(err) != codes.ResourceExhausted {
				t.Errorf("got %v", err)
			}
		})
	}
}

// A message may cost what is in it, and a stream that fails in between is no
// business of the limit's.
func TestMessagesCost(t *testing.T) {
	limiter := newLimiter(t, atT0, weir.PerMinute(5), fixedWindow)
	s := &service{}
	i := New(limiter, one, WithPerMessage(), WithCost(func(_ context.Context, _ string, message any) int64 {
		return int64(len(message.(*pb.StreamingOutputCallRequest).GetPayload().GetBody()))
	}))
	client, stop := serve(t, s, i, false)
	defer stop()
	stream, err := client.FullDuplexCall(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{3, 2, 0} {
		stream.Send(&pb.StreamingOutputCallRequest{Payload: &pb.Payload{Body: make([]byte, size)}})
		if _, err := stream.Recv(); err != nil {
			t.Fatalf("%d bytes: %v", size, err)
		}
	}
	stream.CloseSend()
	if _, err := stream.Recv(); err != io.EOF {
		t.Errorf("got %v", err)
	}
	if s.ran() != 3 {
		t.Errorf("%d messages were processed", s.ran())
	}
}

// A stream that opens has no message yet, and may cost something all the same.
func TestStreamsCost(t *testing.T) {
	limiter := newLimiter(t, atT0, weir.PerMinute(5), fixedWindow)
	i := New(limiter, one, WithCost(func(_ context.Context, _ string, message any) int64 {
		if message != nil {
			t.Errorf("message %v", message)
		}
		return 6
	}))
	stream := &quiet{ctx: context.Background()}
	err := i.Stream()(nil, stream, &grpc.StreamServerInfo{FullMethod: "/a.B/C"}, func(any, grpc.ServerStream) error { return nil })
	if status.Code(err) != codes.ResourceExhausted || stream.trailer.Get("grpc-retry-pushback-ms")[0] != "-1" {
		t.Errorf("got %v, trailers %v", err, stream.trailer)
	}
}

// quiet is a stream that nothing comes from.
type quiet struct {
	grpc.ServerStream
	ctx     context.Context
	trailer metadata.MD
}

func (q *quiet) Context() context.Context    { return q.ctx }
func (q *quiet) SetTrailer(md metadata.MD)   { q.trailer = md }
func (q *quiet) SetHeader(metadata.MD) error { return nil }
