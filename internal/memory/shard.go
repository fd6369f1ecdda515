package memory

import (
	"sync"

	"github.com/weirhq/weir/internal/algorithm"
)

// shard is a part of the table under one lock. Entries lie flat in a slice, the
// index finds them by key, and the queue orders them by when they are empty.
type shard struct {
	mu      sync.Mutex
	index   map[Key]int32
	entries []entry
	free    []int32
	logs    []*algorithm.Log // 0 is none: most keys have no log, and no pointer
	freeLog []int32
	queue   []due
	hand    int // index in queue, see victim
	max     int
	past    int64 // µs: keys were forgotten that said nothing by then
	flat    flat
	reborn  *recent[Key] // the table's

	_ [64]byte // neighbours' locks do not share a cache line
}

type entry struct {
	key    Key
	state  algorithm.State
	log    int32 // index in logs, 0 for none
	queued int32 // index in queue
}

func (s *shard) init(max int) {
	s.max, s.flat.max = max, max
	s.clear()
}

// clear drops the memory too: a map never shrinks by itself.
func (s *shard) clear() {
	s.index = map[Key]int32{}
	s.entries, s.free, s.freeLog, s.queue = nil, nil, nil, nil
	s.logs = []*algorithm.Log{nil}
}

// put writes at now the state of the key, which was found as entry i or absent.
func (s *shard) put(k Key, i int32, now int64, state algorithm.State) int32 {
	i = s.place(k, i, now)
	e := &s.entries[i]
	e.state = state
	s.dropLog(e)
	s.reschedule(i)
	return i
}

// putTAT writes at now the TAT of the key under the tag. It was found in the slot
// of the tag old, or 0 for none. The slot stays locked.
func (s *shard) putTAT(k Key, old, tag uint64, t algorithm.TAT, last, now int64) {
	if old != 0 {
		if slot, found := s.flat.find(old); found {
			slot.give(tag, wordOf(t)|locked, last)
			return
		}
	}
	if i, found := s.index[k]; found {
		s.remove(i)
	} else {
		s.reborn.again(k, now)
	}
	if forgot := s.flat.insert(tag, t, last, now); forgot {
		s.past = max(s.past, now)
	}
}

// putLog is put for a log.
func (s *shard) putLog(k Key, i int32, now int64, log *algorithm.Log) int32 {
	i = s.place(k, i, now)
	e := &s.entries[i]
	e.state = algorithm.State{}
	if e.log == 0 {
		e.log = s.logSlot()
	}
	s.logs[e.log] = log
	s.reschedule(i)
	return i
}

func (s *shard) logSlot() int32 {
	if n := len(s.freeLog); n > 0 {
		slot := s.freeLog[n-1]
		s.freeLog = s.freeLog[:n-1]
		return slot
	}
	s.logs = append(s.logs, nil)
	return int32(len(s.logs) - 1)
}

// place is the key's entry, made if need be. An entry found at the start of the
// request may have made room since for another key of the same request.
func (s *shard) place(k Key, i int32, now int64) int32 {
	if i != absent && s.entries[i].key == k {
		return i
	}
	if i, found := s.index[k]; found {
		return i
	}
	return s.insert(k, now)
}

// insert makes an entry for a key that has none, and takes its slot away: a key is
// in one place.
func (s *shard) insert(k Key, now int64) int32 {
	if slot, found := s.flat.findAny(k); found {
		slot.empty()
	} else {
		s.reborn.again(k, now)
	}
	if len(s.index) >= s.max {
		s.remove(s.victim(now))
	}
	var i int32
	if n := len(s.free); n > 0 {
		i, s.free = s.free[n-1], s.free[:n-1]
	} else {
		i = int32(len(s.entries))
		s.entries = append(s.entries, entry{})
	}
	s.entries[i] = entry{key: k}
	s.index[k] = i
	s.enqueue(i)
	return i
}

func (s *shard) remove(i int32) {
	e := &s.entries[i]
	s.dequeue(e.queued)
	s.dropLog(e)
	delete(s.index, e.key)
	*e = entry{}
	s.free = append(s.free, i)
}

func (s *shard) dropLog(e *entry) {
	if e.log != 0 {
		s.logs[e.log] = nil
		s.freeLog = append(s.freeLog, e.log)
		e.log = 0
	}
}

// expires is the instant from which the entry says nothing any more.
func (s *shard) expires(i int32) int64 {
	e := &s.entries[i]
	if e.log != 0 {
		return s.logs[e.log].Expires()
	}
	return e.state.Expires()
}
