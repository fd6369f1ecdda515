package envoyrls_test

import (
	"context"
	"net"
	"os"
	"testing"
	"time"

	pb "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/descriptor"
	"github.com/weirhq/weir/internal/front/envoyrls"
	"github.com/weirhq/weir/internal/redistest"
	"github.com/weirhq/weir/redisstore"
)

func TestMain(m *testing.M) {
	code := m.Run()
	redistest.End()
	os.Exit(code)
}

// engine decides by a configuration on a store.
type engine struct {
	set   *descriptor.Set
	store weir.Store
}

func (e engine) Limit(ctx context.Context, r *descriptor.Request) (descriptor.Answer, error) {
	return e.set.Decide(ctx, e.store, r)
}

func mustLoad(t testing.TB, text string) *descriptor.Set {
	t.Helper()
	set, _, err := descriptor.Load([]descriptor.File{{Name: "test.yaml", Text: []byte(text)}})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func goldenSet(t testing.TB) *descriptor.Set {
	t.Helper()
	text, err := os.ReadFile("testdata/golden.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return mustLoad(t, string(text))
}

// instant is when the tests' clock stands still: in the middle of every unit, and
// not on a whole second.
var instant = time.Date(2026, time.July, 15, 13, 24, 17, 300_000_000, time.UTC)

func now() time.Time { return instant }

// stores are the kinds there are, at the instant, each empty.
var stores = map[string]func(testing.TB) weir.Store{
	"memory": func(t testing.TB) weir.Store {
		store := weir.NewMemoryStore(weir.MemoryOptions{Clock: now})
		t.Cleanup(func() { store.Close() })
		return store
	},
	"redis":   func(t testing.TB) weir.Store { return openRedis(t, "redis://"+redistest.Shared(t).Addr) },
	"cluster": func(t testing.TB) weir.Store { return openRedis(t, redistest.SharedCluster(t).URL()) },
}

func openRedis(t testing.TB, url string) weir.Store {
	t.Helper()
	store, err := redisstore.Open(url, redisstore.WithClock(now))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

// serve runs the service on a gRPC server and returns a client of it.
func serve(t testing.TB, s *envoyrls.Service) pb.RateLimitServiceClient {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	s.Register(server)
	done := make(chan struct{})
	go func() { defer close(done); server.Serve(listener) }()
	t.Cleanup(func() { server.Stop(); <-done })
	conn, err := grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return pb.NewRateLimitServiceClient(conn)
}
