package httplimit

import (
	"net/http"
	"net/netip"

	"github.com/weirhq/weir/clientip"
)

// IPOption shapes [ByIP].
type IPOption func(*byIP)

// Behind finds the client's address behind trusted proxies. By default nobody is
// trusted, and the peer is the client whatever its headers say.
func Behind(r clientip.Resolver) IPOption { return func(b *byIP) { b.resolver = r } }

// Masked sets how much of an address is an identity; by default a whole IPv4
// address and an IPv6 network of 64 bits.
func Masked(m clientip.Masks) IPOption { return func(b *byIP) { b.masks = m } }

type byIP struct {
	resolver clientip.Resolver
	header   string // that the resolver believes
	masks    clientip.Masks
	whole    bool // IPv4 addresses are identities as they are
}

// ByIP counts by the client's address: "203.0.113.7", "2001:db8:1:2::/64". A
// peer without one, as on a Unix socket, has no key.
func ByIP(options ...IPOption) KeyFunc {
	var b byIP
	for _, o := range options {
		o(&b)
	}
	b.header = b.resolver.Header.Name()
	b.whole = b.masks.Network(netip.AddrFrom4([4]byte{})).IsSingleIP()
	return b.key
}

func (b *byIP) key(r *http.Request) (string, error) {
	peer, _ := clientip.Peer(r.RemoteAddr)
	client, _ := b.resolver.Resolve(peer, r.Header[b.header])
	if b.whole && client == peer && client.Is4() {
		if text, found := spelledIPv4(r.RemoteAddr); found {
			return text, nil // most requests, without an allocation
		}
	}
	var buf [clientip.MaxKeyLen]byte
	key, _ := b.masks.AppendKey(buf[:0], client) // nothing for no address
	return string(key), nil
}

// spelledIPv4 is what stands before the port of an IPv4 peer. There is one spelling of
// that address which is read at all; where it is written as one of IPv6, no dot stands
// before the first colon.
func spelledIPv4(peer string) (text string, found bool) {
	for i := range len(peer) {
		switch peer[i] {
		case '.':
			found = true
		case ':':
			return peer[:i], found
		}
	}
	return peer, found
}
