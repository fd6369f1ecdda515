package grpclimit

import (
	"context"

	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"

	"github.com/weirhq/weir/clientip"
)

// PeerOption shapes [ByPeer].
type PeerOption func(*byPeer)

// Behind finds the client's address behind trusted proxies, in the metadata that
// the resolver's header is. By default nobody is trusted, and the peer is the
// client.
func Behind(r clientip.Resolver) PeerOption { return func(b *byPeer) { b.resolver = r } }

// Masked sets how much of an address is an identity; by default a whole IPv4
// address and an IPv6 network of 64 bits.
func Masked(m clientip.Masks) PeerOption { return func(b *byPeer) { b.masks = m } }

type byPeer struct {
	resolver clientip.Resolver
	masks    clientip.Masks
}

// ByPeer counts by the client's address: "203.0.113.7", "2001:db8:1:2::/64". A
// peer without one, as on a Unix socket, has no key.
func ByPeer(options ...PeerOption) KeyFunc {
	var b byPeer
	for _, o := range options {
		o(&b)
	}
	return b.key
}

func (b *byPeer) key(ctx context.Context, _ string) (string, error) {
	var remote string
	if p, ok := peer.FromContext(ctx); ok && p.Addr != nil {
		remote = p.Addr.String()
	}
	from, _ := clientip.Peer(remote)
	client, _ := b.resolver.Resolve(from, metadata.ValueFromIncomingContext(ctx, b.resolver.Header.Name()))
	var buf [clientip.MaxKeyLen]byte
	key, _ := b.masks.AppendKey(buf[:0], client) // nothing for no address
	return string(key), nil
}
