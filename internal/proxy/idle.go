package proxy

import (
	"slices"
	"sync"
	"time"
)

// idle are connections that wait for a request, the one that was used last at the
// end. That one is taken first, so that those that are not needed grow old.
type idle struct {
	mu     sync.Mutex
	links  []*link
	closed bool
	sweep  *time.Timer // set while there are any
}

func newIdle() *idle {
	i := &idle{}
	i.sweep = time.AfterFunc(time.Hour, i.closeOld)
	i.sweep.Stop()
	return i
}

// take gives a connection on which nothing has happened since, nil if there is
// none: one that the upstream has closed is of no use, and one on which it said
// something would give that for the next answer.
func (i *idle) take() *link {
	for {
		l := i.pop()
		if l == nil || l.isIdle() {
			return l
		}
		l.Close()
	}
}

func (i *idle) pop() *link {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.links) == 0 {
		return nil
	}
	last := len(i.links) - 1
	l := i.links[last]
	i.links[last] = nil
	i.links = i.links[:last]
	return l
}

func (i *idle) put(l *link) {
	l.since = time.Now()
	i.mu.Lock()
	kept := !i.closed && len(i.links) < maxIdle
	if kept {
		if len(i.links) == 0 {
			i.sweep.Reset(idleTimeout)
		}
		i.links = append(i.links, l)
	}
	i.mu.Unlock()
	if !kept {
		l.Close()
	}
}

// closeOld closes what has been idle for too long, which is at the beginning.
func (i *idle) closeOld() {
	i.mu.Lock()
	now := time.Now()
	old := 0
	for old < len(i.links) && now.Sub(i.links[old].since) >= idleTimeout {
		old++
	}
	gone := slices.Clone(i.links[:old])
	i.links = slices.Delete(i.links, 0, old)
	if len(i.links) > 0 {
		i.sweep.Reset(idleTimeout - now.Sub(i.links[0].since))
	}
	i.mu.Unlock()
	for _, l := range gone {
		l.Close()
	}
}

// close closes all, and what is put later.
func (i *idle) close() {
	i.mu.Lock()
	i.closed = true
	gone := i.links
	i.links = nil
	i.sweep.Stop()
	i.mu.Unlock()
	for _, l := range gone {
		l.Close()
	}
}
