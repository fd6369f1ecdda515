package callers_test

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/weirhq/weir/bench/callers"
)

func TestEveryCallerAsksOnceAtLeast(t *testing.T) {
	var asked [5]atomic.Int64
	l, err := callers.Ask(5, 0, func(caller int) error { asked[caller].Add(1); return nil })
	if err != nil || l.Calls != 5 {
		t.Errorf("%+v, %v", l, err)
	}
	for i := range asked {
		if n := asked[i].Load(); n != 1 {
			t.Errorf("caller %d asked %d times", i, n)
		}
	}
}

func TestAnErrorIsTheLoads(t *testing.T) {
	failed := errors.New("no")
	if _, err := callers.Ask(2, 0, func(int) error { return failed }); !errors.Is(err, failed) {
		t.Error(err)
	}
}
