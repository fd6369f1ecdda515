package grpclimit

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	pb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/test/bufconn"

	"github.com/weirhq/weir"
)

// t0 is the first instant of a minute, an hour and a day.
var t0 = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// newLimiter is a limiter whose time is what now returns.
func newLimiter(t testing.TB, now func() time.Time, rate weir.Rate, options ...weir.Option) *weir.Limiter {
	t.Helper()
	store := weir.NewMemoryStore(weir.MemoryOptions{Clock: now})
	t.Cleanup(func() { store.Close() })
	l, err := weir.New(rate, append(options, weir.WithStore(store))...)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func atT0() time.Time { return t0 }

// one counts all calls together.
func one(context.Context, string) (string, error) { return "one", nil }

// service answers calls, and counts them.
type service struct {
	pb.UnimplementedTestServiceServer
	mu     sync.Mutex
	calls  int
	stream func(pb.TestService_FullDuplexCallServer) error
}

func (s *service) ran() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls
}

func (s *service) count() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
}

func (s *service) EmptyCall(context.Context, *pb.Empty) (*pb.Empty, error) {
	s.count()
	return &pb.Empty{}, nil
}

func (s *service) UnaryCall(context.Context, *pb.SimpleRequest) (*pb.SimpleResponse, error) {
	s.count()
	return &pb.SimpleResponse{}, nil
}

func (s *service) FullDuplexCall(stream pb.TestService_FullDuplexCallServer) error {
	if s.stream != nil {
		return s.stream(stream)
	}
	return s.echo(stream)
}

// echo answers each message.
func (s *service) echo(stream pb.TestService_FullDuplexCallServer) error {
	for {
		if _, err := stream.Recv(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		s.count()
		if err := stream.Send(&pb.StreamingOutputCallResponse{}); err != nil {
			return err
		}
	}
}

// serve runs the service behind the interceptor, in this process or over TCP, and
// gives a client of it. stop waits for both to end.
func serve(t *testing.T, s *service, i *Interceptor, tcp bool, options ...grpc.DialOption) (client pb.TestServiceClient, stop func()) {
	t.Helper()
	server := grpc.NewServer(grpc.UnaryInterceptor(i.Unary()), grpc.StreamInterceptor(i.Stream()), grpc.WaitForHandlers(true))
	pb.RegisterTestServiceServer(server, s)
	var listener net.Listener
	target := "passthrough:///bufconn"
	if tcp {
		var err error
		if listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
		target = listener.Addr().String()
	} else {
		buffered := bufconn.Listen(1 << 16)
		listener = buffered
		options = append(options, grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return buffered.DialContext(ctx) }))
	}
	var serving sync.WaitGroup
	serving.Go(func() { server.Serve(listener) })
	conn, err := grpc.NewClient(target, append(options, grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		t.Fatal(err)
	}
	return pb.NewTestServiceClient(conn), sync.OnceFunc(func() {
		conn.Close()
		server.Stop()
		serving.Wait()
	})
}

// broken is a limiter whose store does not answer.
type broken struct{ *weir.Limiter }

var errDown = errors.New("dial 10.0.0.9:6379: connection refused")

func (broken) AllowN(ctx context.Context, _ string, _ int64) (weir.Result, error) {
	if err := ctx.Err(); err != nil {
		return weir.Result{}, err
	}
	return weir.Result{}, errDown
}
