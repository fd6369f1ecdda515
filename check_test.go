package weir_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/weirhq/weir"
)

// A key named twice is found among few checks and among many; only independent
// checks whose algorithms share a state may name it.
func TestValidateChecksFindsAKeyNamedTwice(t *testing.T) {
	independent := &weir.Group{Charge: weir.Independent}
	window, err := weir.NewLimit(weir.PerDay(10), weir.WithAlgorithm(weir.FixedWindow))
	if err != nil {
		t.Fatal(err)
	}
	gcra := perDay(t, 10)
	for _, n := range []int{2, 16, 17, 200} {
		for name, c := range map[string]struct {
			last weir.Check
			want error
		}{
			"independent":               {weir.Check{Limit: gcra, Group: independent}, nil},
			"independent, another rate": {weir.Check{Limit: perDay(t, 20), Group: independent}, nil},
			"another algorithm":         {weir.Check{Limit: window, Group: independent}, weir.ErrDuplicateKey},
			"not independent":           {weir.Check{Limit: gcra}, weir.ErrDuplicateKey},
			"a negative cost":           {weir.Check{Limit: gcra, Group: independent, Cost: -1}, weir.ErrNegativeCost},
			"no limit":                  {weir.Check{Group: independent}, weir.ErrNoLimit},
		} {
			checks := make([]weir.Check, n)
			for i := range checks {
				checks[i] = weir.Check{Key: weir.Key{Identity: fmt.Sprint(i)}, Limit: gcra, Group: independent}
			}
			c.last.Key = checks[0].Key
			checks[n-1] = c.last
			if err := weir.ValidateChecks(checks); !errors.Is(err, c.want) {
				t.Errorf("%d checks, the last %s: %v, want %v", n, name, err, c.want)
			}
		}
	}
}
