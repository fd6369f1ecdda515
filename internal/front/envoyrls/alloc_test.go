//go:build !race

package envoyrls_test

import (
	"fmt"
	"testing"

	pb "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/front/envoyrls"
)

// A call of ten descriptors allocates no more often than one of one.
func TestAllocations(t *testing.T) {
	store := weir.NewMemoryStore(weir.MemoryOptions{Clock: now})
	defer store.Close()
	s := envoyrls.New(engine{goldenSet(t), store}, envoyrls.Options{})
	few := []string{"path=/api/v7/x"}
	var many []string
	for i := range 10 {
		many = append(many, fmt.Sprintf("white=nested,sub=%d", i))
	}
	one, ten := allocations(t, s, ask(few...)), allocations(t, s, ask(many...))
	if one > 10 || ten > one {
		t.Errorf("%v allocations for one descriptor, %v for ten", one, ten)
	}
}

func allocations(t *testing.T, s *envoyrls.Service, in *pb.RateLimitRequest) float64 {
	return testing.AllocsPerRun(100, func() {
		if _, err := s.ShouldRateLimit(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	})
}
