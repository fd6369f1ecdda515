package envoyrls_test

import (
	"fmt"
	"testing"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/front/envoyrls"
)

// BenchmarkShouldRateLimit is one call without the network, in memory.
func BenchmarkShouldRateLimit(b *testing.B) {
	for _, n := range []int{1, 3} {
		b.Run(fmt.Sprintf("descriptors=%d", n), func(b *testing.B) {
			store := weir.NewMemoryStore(weir.MemoryOptions{})
			defer store.Close()
			s := envoyrls.New(engine{goldenSet(b), store}, envoyrls.Options{})
			in := ask("hour=a", "path=/api/v7/x", "white=nested,sub=s")
			in.Descriptors = in.Descriptors[:n]
			b.ReportAllocs()
			for b.Loop() {
				if out, err := s.ShouldRateLimit(b.Context(), in); err != nil || len(out.Statuses) != n {
					b.Fatal(out, err)
				}
			}
		})
	}
}
