package replay

import (
	"net/netip"
	"testing"
)

// However many addresses are forgotten, each request is from its own.
func TestAddressesThatAreForgotten(t *testing.T) {
	const logs, addresses = maxOrigins, 3*leastInterned + 7
	n := newInterner(nil, logs)
	for round := range 2 {
		for i := range addresses {
			e := entry{ip: netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)})}
			first, again := n.request(&e), n.request(&e)
			if first.from.ip != e.ip || again.from != first.from {
				t.Fatalf("round %d: %s is from %+v and %+v", round, e.ip, first.from, again.from)
			}
			if len(n.plain) > leastInterned {
				t.Fatalf("%d are kept", len(n.plain))
			}
		}
	}
}
