package resp

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/weirhq/weir"
)

// yes admits everything.
type yes struct{}

func (yes) DecideEach(_ context.Context, checks []weir.Check, results []weir.Result) (int, error) {
	for i := range results {
		results[i] = weir.Result{Allowed: true, Limit: checks[i].Limit.Capacity(), ResetAfter: time.Second}
	}
	return len(checks), nil
}

func (yes) Forget(context.Context, []weir.Key) error { return nil }

// Reading commands and writing replies allocates nothing; the one copy is that of
// the keys of all that arrived together, which a store may keep.
func TestAPipelineAllocatesItsKeysAlone(t *testing.T) {
	c := newConnection(New(yes{}, Options{}), nil)
	text := strings.Repeat(encoded("CL.THROTTLE", "user:42", "15", "30", "60"), 32)
	allocations := testing.AllocsPerRun(100, func() {
		c.held = copy(c.in, text)
		c.run()
		if out := c.render(c); len(out) != 32*len("*5\r\n:0\r\n:16\r\n:0\r\n:-1\r\n:1\r\n") {
			t.Fatalf("%q", out)
		}
		c.clear()
	})
	if allocations > 1 {
		t.Errorf("%v allocations for 32 commands", allocations)
	}
}
