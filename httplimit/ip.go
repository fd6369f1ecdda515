package httplimit

import (
	"net/http"

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
}

// ByIP counts by the client's address: "203.0.113.7", "2001:db8:1:2::/64". A
// peer without one, as on a Unix socket, has no key.
func ByIP(options ...IPOption) KeyFunc {
	var b byIP
	for _, o := range options {
		o(&b)
	}
	b.header = b.resolver.Header.Name()
	return b.key
}

func (b *byIP) key(r *http.Request) (string, error) {
	peer, _ := clientip.Peer(r.RemoteAddr)
	client, _ := b.resolver.Resolve(peer, r.Header[b.header])
	var buf [clientip.MaxKeyLen]byte
	key, _ := b.masks.AppendKey(buf[:0], client) // nothing for no address
	if n := len(key); n <= len(r.RemoteAddr) && r.RemoteAddr[:n] == string(key) {
		return r.RemoteAddr[:n], nil // most requests, without an allocation
	}
	return string(key), nil
}
