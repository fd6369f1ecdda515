package daemon

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/failover"
	"github.com/weirhq/weir/internal/admin"
	"github.com/weirhq/weir/internal/tracing"
	"github.com/weirhq/weir/lease"
	"github.com/weirhq/weir/policy"
	"github.com/weirhq/weir/redisstore"
)

// backend is the store that decides, with what the daemon tells of it.
type backend struct {
	weir.Store
	shared *redisstore.Store     // nil in memory
	timed  *timedStore           // the same, timed; nil in memory
	leases *lease.Store          // around that; nil in memory
	kind   string                // "memory", "redis", "redis+sentinel" and so on
	keys   func() int            // held in this process
	stats  func() failover.Stats // nil in memory, which cannot fail
	close  func()
}

// openBackend opens the store that a URL names. An error repeats no password.
func openBackend(ctx context.Context, url string, c *policy.Config, m *admin.Metrics, tracer *tracing.Tracer, log *slog.Logger) (*backend, error) {
	if url == "" || url == "memory:" {
		return memoryBackend(weir.NewMemoryStore(weir.MemoryOptions{MaxKeys: int(c.MaxKeys)})), nil
	}
	scheme, _, found := strings.Cut(url, ":")
	if !found || scheme == "memory" {
		return nil, usage("the store is not a URL: write memory: or redis://127.0.0.1:6379")
	}
	shared, err := redisstore.Open(url, redisstore.OnReplaced(m.Replaced), redisstore.WithDenyCache(c.DenyCache.Duration()))
	if err != nil {
		return nil, &UsageError{err}
	}
	if err := diagnose(ctx, shared, log); err != nil {
		shared.Close()
		return nil, err
	}
	timed := &timedStore{Store: shared, metrics: m}
	leases := lease.New(tracer.Store(timed, "redis"), lease.Options{})
	store := failover.New(leases, failover.Options{
		Budget: c.Budget, Share: c.Share, MaxKeys: int(c.MaxKeys), OnChange: logBreaker(log),
	})
	return &backend{Store: store, shared: shared, timed: timed, leases: leases, kind: scheme, keys: store.Len, stats: store.Stats, close: func() {
		store.Close()
		leases.Close()
		shared.Close()
	}}, nil
}

func memoryBackend(store *weir.MemoryStore) *backend {
	return &backend{Store: store, kind: "memory", keys: store.Len, close: func() { store.Close() }}
}

// diagnosisTimeout is how long the start waits for the store to show itself.
const diagnosisTimeout = 2 * time.Second

// diagnose says what is wrong with the store. What the user has to mend keeps
// weir from starting; a server that is not there yet does not: until it is, each
// layer's on_error decides.
func diagnose(ctx context.Context, shared *redisstore.Store, log *slog.Logger) error {
	ctx, cancel := context.WithTimeout(ctx, diagnosisTimeout)
	defer cancel()
	for _, finding := range shared.Diagnose(ctx) {
		switch {
		case finding.Fatal:
			return usage("store: %s", finding)
		case finding.Temporary:
			log.Error("store: " + finding.String())
		default:
			log.Warn("store: " + finding.String())
		}
	}
	return nil
}

// logBreaker says once that the store fails, however often it is tried meanwhile,
// and once that it answers again.
func logBreaker(log *slog.Logger) func(state string, cause error) {
	var down atomic.Bool
	return func(state string, cause error) {
		switch {
		case state == "open" && !down.Swap(true):
			log.Error("store: does not answer, on_error decides; it is tried every second", "because", cause)
		case state == "closed" && down.Swap(false):
			log.Info("store: answers again")
		}
	}
}
