// Package clientip answers two questions about a request: which client
// address does it come from, given the direct peer and one forwarding header,
// and what is the rate-limit identity of that address.
//
//	trusted, err := clientip.ParsePrefixes([]string{"10.0.0.0/8"})
//	resolver := clientip.Resolver{Trusted: trusted, Header: clientip.XForwardedFor}
//
//	peer, _ := clientip.Peer(r.RemoteAddr)
//	client, outcome := resolver.Resolve(peer, r.Header[resolver.Header.Name()])
//	key, ok := clientip.Masks{}.AppendKey(buf[:0], client) // "203.0.113.7", "2001:db8:1:2::/64"
//	// count outcome; !ok: no address is known, say what then, never use ""
//
// Nobody is trusted by default: a forwarding header is text that the sender
// chose, until the peer that delivered it is one of ours.
//
// Every address this package returns is canonical: an IPv4-mapped IPv6
// address is the IPv4 address, and an IPv6 zone is gone, because neither
// makes another client.
//
// # Time
//
// No clock is read. Work is proportional to the length of what is examined
// (see [MaxBytes]). What a request costs, [Peer], [Resolver.Resolve] and
// [Masks.AppendKey] into a buffer of [MaxKeyLen], allocates nothing, also for
// junk.
//
// # Errors
//
// Errors come from configuration only: [PrefixError], [SourceError],
// [MaskError]. Text from the network is never an error, it is an [Outcome].
// Nothing panics.
//
// # Concurrency
//
// Every type is an immutable value: share it and copy it freely.
package clientip

import "net/netip"

// canonical gives the one spelling of an address that this package compares:
// a dual-stack listener reports IPv4 peers as ::ffff:a.b.c.d, and
// [netip.Prefix.Contains] is false for any address with a zone.
func canonical(addr netip.Addr) netip.Addr {
	if addr.Is4() { // most are, and the two calls are not inlined
		return addr
	}
	return addr.Unmap().WithZone("")
}
