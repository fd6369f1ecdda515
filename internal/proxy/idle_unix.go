//go:build unix

package proxy

import "syscall"

// canTellIdle says that isSilent can.
const canTellIdle = true

// isSilent reports whether an open socket has nothing to be read, not even its
// end. It does not block: Go's sockets do not.
func isSilent(fd uintptr) bool {
	var one [1]byte
	_, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK)
	return err == syscall.EAGAIN || err == syscall.EWOULDBLOCK
}
