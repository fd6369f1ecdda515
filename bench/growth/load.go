package main

import (
	"math/rand/v2"
	"syscall"
	"time"

	"github.com/weirhq/weir/bench/callers"
)

// asker makes what one caller does again and again. Random numbers are its own.
type asker func(r *rand.Rand) func() error

// loaded is what callers did in a while.
type loaded struct {
	callers.Load               // of which P50 and P99 are of batches
	cpu          time.Duration // of this process
}

// cpuNanos is the processor time of a call. What else runs on the machine changes it
// far less than it changes how long a call takes.
func (l loaded) cpuNanos() float64 { return float64(l.cpu.Nanoseconds()) / float64(l.Calls) }

// load lets n callers ask for a while. Each looks at the clock once in a batch of
// calls, which is for calls so short that the clock would be most of them.
func load(n, batch int, during time.Duration, ask asker) (l loaded, err error) {
	each := make([]func() error, n)
	for i := range each {
		each[i] = ask(rand.New(rand.NewPCG(uint64(i), uint64(time.Now().UnixNano()))))
	}
	before := used()
	l.Load, err = callers.Ask(n, during, func(i int) error {
		for range batch {
			if err := each[i](); err != nil {
				return err
			}
		}
		return nil
	})
	l.cpu = used() - before
	l.Calls *= batch
	return l, err
}

// used is the processor time of this process so far.
func used() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // it has no other errors than wrong arguments
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
