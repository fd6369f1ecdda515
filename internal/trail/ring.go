package trail

import (
	"sync"

	"github.com/weirhq/weir"
)

// ring holds the last records, bounded in number and in bytes.
type ring struct {
	mu          sync.Mutex
	slots       []*Record // of number n at n % len
	next        uint64    // number, from 1
	oldest      uint64
	bytes, most int
}

func newRing(size, most int) *ring {
	return &ring{slots: make([]*Record, size), next: 1, oldest: 1, most: most}
}

func (r *ring) put(k *Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k.number = r.next
	r.next++
	r.bytes += k.bytes
	for r.next-r.oldest > uint64(len(r.slots)) || r.bytes > r.most {
		slot := r.slot(r.oldest)
		if r.oldest != k.number {
			r.bytes -= (*slot).bytes
			*slot = nil
		}
		r.oldest++
	}
	*r.slot(k.number) = k
}

func (r *ring) slot(number uint64) **Record { return &r.slots[number%uint64(len(r.slots))] }

func (r *ring) find(id weir.ID) *Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	for number := r.oldest; number < r.next; number++ {
		if k := *r.slot(number); k.ID == id {
			return k
		}
	}
	return nil
}

// last are the newest n at most, newest first.
func (r *ring) last(n int) []*Record { return r.after(0, n) }

// after are the newest n at most of those with a larger number, newest first.
func (r *ring) after(number uint64, n int) (found []*Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for at := r.next - 1; at >= r.oldest && at > number && len(found) < n; at-- {
		found = append(found, *r.slot(at))
	}
	return found
}
