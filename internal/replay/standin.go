package replay

import (
	"crypto/sha256"
	"net/netip"
	"strings"
)

// standIn is the address under which a caller is counted of whom the log has only
// the host name: one of its own for each name, in networks that nobody else is in
// (fd00::/8, RFC 4193).
func standIn(name string) netip.Addr {
	sum := sha256.Sum256([]byte(strings.ToLower(name)))
	var a [16]byte
	a[0] = 0xfd
	copy(a[1:8], sum[:])
	return netip.AddrFrom16(a)
}
