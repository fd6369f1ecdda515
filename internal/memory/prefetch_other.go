//go:build !gc || purego || !(amd64 || arm64)

package memory

import (
	"sync/atomic"
	"unsafe"
)

// prefetch loads, where there is no instruction for less.
func prefetch(p unsafe.Pointer) { (*atomic.Uint64)(p).Load() }
