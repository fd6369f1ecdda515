package redisstore_test

import (
	"fmt"
	"math/big"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/algorithm"
)

// The sliding counter compares prev·(W−e) with room·W, two products of up to 77
// bits, as doubles of 53. Here they differ by less than a double can tell, and the
// right one is larger all the same: a cost passes, and one more does not.
func TestCounterTellsProductsApart(t *testing.T) {
	const most = algorithm.MaxCounterCount
	clock := newClock()
	store := open(t, urlOf(sharedServer(t)), clock.options()...)
	for _, prev := range []int64{4_294_967_291, 4_294_967_279, 3_999_999_979} { // primes
		for _, period := range []int64{algorithm.MaxPeriod, algorithm.MaxPeriod - 1, 86_400_000_001} {
			for _, difference := range []int64{-1000, -2, -1, 1, 2, 1000} {
				// The x = W−e for which prev·x is room·W + difference.
				w := big.NewInt(period)
				inverse := new(big.Int).ModInverse(big.NewInt(prev), w)
				x := new(big.Int).Mod(inverse.Mul(inverse, big.NewInt(difference)), w).Int64()
				product := new(big.Int).Mul(big.NewInt(prev), big.NewInt(x))
				room := new(big.Int).Div(product.Sub(product, big.NewInt(difference)), w).Int64()
				if x == 0 || room < 1 || room >= most {
					t.Fatalf("set-up: x %d, room %d", x, room)
				}

				limit := limitOf(t, weir.Per(most, time.Duration(period)*time.Microsecond), weir.WithAlgorithm(weir.SlidingCounter))
				k := key(fmt.Sprint(prev, period, difference))
				start := clock.now.Load()
				clock.set(start - start%period + period)
				take(t, store, k, limit, prev)
				clock.pass(time.Duration(2*period-x) * time.Microsecond)
				fits := most - room // leaves just that room
				if difference > 0 {
					fits-- // which is not enough
				}
				if r := peek(t, store, k, limit, fits+1); r.Allowed {
					t.Errorf("prev %d, W %d, difference %d: %d pass", prev, period, difference, fits+1)
				}
				if r := take(t, store, k, limit, fits); !r.Allowed {
					t.Errorf("prev %d, W %d, difference %d: %d do not pass", prev, period, difference, fits)
				}
				clock.set(newClock().now.Load())
			}
		}
	}
}
