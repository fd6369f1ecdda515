package clientip

import "net/netip"

// Bounds on what one call of [Resolver.Resolve] examines. Chains of proxies
// are short; what is longer is [Junk].
const (
	// MaxHops is the number of list elements, counted from the nearest.
	MaxHops = 64
	// MaxBytes is the length of the examined elements, each with its blanks
	// and one byte for its separator.
	MaxBytes = 8192
)

// Resolver finds the client's address behind trusted proxies. The zero value
// trusts nobody and believes no header: the peer is the client.
type Resolver struct {
	// Trusted holds the proxies whose word counts. Default: nobody.
	Trusted Prefixes
	// Header is the one header that is believed. Default: [None].
	Header Source
	// TrustUnix also trusts a peer without an address, which is how a
	// listener on a Unix socket sees the proxy on the same machine.
	// Default: false.
	TrustUnix bool
}

// Resolve gives the client of a request. peer is the direct peer as [Peer]
// gives it, the zero Addr if it has none; lines are all field lines of the
// believed header, in order, and form one list.
//
// A peer that is not trusted is the client, whatever the header says. Behind a
// trusted peer the list is walked from the right, where the nearest proxy
// wrote, and never past the first address that is not trusted: what stands
// left of it may be forged. Something that is not an address stops the walk,
// and the last good hop is the client. An empty element is such a something,
// and so is an empty line: some proxy had a peer it could not name, and
// reading past it would believe whatever its client had sent.
//
// client is the zero Addr only if peer is and no address was found: check
// IsValid before making a key of it.
func (r Resolver) Resolve(peer netip.Addr, lines []string) (client netip.Addr, outcome Outcome) {
	peer = canonical(peer)
	if r.Header == None || r.Header.Name() == "" {
		return peer, Direct
	}
	if !r.trusts(peer) {
		if len(lines) > 0 {
			return peer, Ignored
		}
		return peer, Direct
	}
	if len(lines) == 0 {
		return peer, Absent
	}
	if r.Header == XRealIP {
		return r.single(peer, lines)
	}
	return r.walk(peer, lines)
}

func (r Resolver) trusts(peer netip.Addr) bool {
	if !peer.IsValid() {
		return r.TrustUnix
	}
	return r.Trusted.Contains(peer)
}

// single takes the only line. Two lines mean that a proxy added its own and
// left the client's: there is no telling which is which.
func (r Resolver) single(peer netip.Addr, lines []string) (netip.Addr, Outcome) {
	if len(lines) > 1 {
		return peer, Junk
	}
	addr, ok := parseNode(trimBlanks(lines[0]))
	if !ok {
		return peer, Junk
	}
	if r.Trusted.Contains(addr) {
		return addr, AllTrusted
	}
	return addr, Found
}

func (r Resolver) walk(peer netip.Addr, lines []string) (netip.Addr, Outcome) {
	hop := peer
	list := elements{lines: lines, quoted: r.Header == Forwarded}
	for {
		element, more := list.previous()
		if !more {
			return hop, AllTrusted
		}
		addr, ok := r.Header.parseElement(element)
		if !ok {
			return hop, Junk
		}
		if hop = addr; !r.Trusted.Contains(hop) {
			return hop, Found
		}
	}
}

func (s Source) parseElement(element string) (netip.Addr, bool) {
	if s == Forwarded {
		return parseForwarded(element)
	}
	return parseNode(trimBlanks(element))
}
