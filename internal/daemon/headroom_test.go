package daemon

import (
	"runtime"
	"testing"
)

// Garbage is left alone until there is as much of it as headroom, unless who starts
// weir has said something else.
func TestHeadroom(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	held := headroom()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.NextGC < 2*headroomBytes {
		t.Errorf("garbage is collected at a heap of %d bytes", m.NextGC)
	}
	runtime.KeepAlive(held)
	for _, name := range []string{"GOGC", "GOMEMLIMIT"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, "100")
			if headroom() != nil {
				t.Error("there is headroom all the same")
			}
		})
	}
}
