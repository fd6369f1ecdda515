package grpclimit

import (
	"context"
	"net"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/clientip"
	"github.com/weirhq/weir/httplimit"
)

func from(ip string, pairs ...string) context.Context {
	ctx := peer.NewContext(context.Background(), &peer.Peer{Addr: &net.TCPAddr{IP: net.ParseIP(ip), Port: 5123}})
	return metadata.NewIncomingContext(ctx, metadata.Pairs(pairs...))
}

func TestByPeer(t *testing.T) {
	trusted, err := clientip.ParsePrefixes([]string{"10.0.0.0/8"})
	if err != nil {
		t.Fatal(err)
	}
	masks, err := clientip.NewMasks(24, 48)
	if err != nil {
		t.Fatal(err)
	}
	behind := Behind(clientip.Resolver{Trusted: trusted, Header: clientip.XForwardedFor})
	realIP := Behind(clientip.Resolver{Trusted: trusted, Header: clientip.XRealIP})
	forwarded := []string{"x-forwarded-for", "192.0.2.1, 198.51.100.9"}
	for _, c := range []struct {
		name    string
		ctx     context.Context
		options []PeerOption
		want    string
	}{
		{"IPv4", from("203.0.113.7"), nil, "203.0.113.7"},
		{"IPv6", from("2001:db8:1:2:3::4"), nil, "2001:db8:1:2::/64"},
		{"masks of one's own", from("203.0.113.7"), []PeerOption{Masked(masks)}, "203.0.113.0/24"},
		{"metadata that nobody vouches for", from("203.0.113.7", forwarded...), []PeerOption{behind}, "203.0.113.7"},
		{"behind a trusted proxy", from("10.0.0.5", forwarded...), []PeerOption{behind}, "198.51.100.9"},
		{"behind one that sets x-real-ip", from("10.0.0.5", "x-real-ip", "192.0.2.1"), []PeerOption{realIP}, "192.0.2.1"},
		{"a Unix socket", peer.NewContext(context.Background(), &peer.Peer{Addr: &net.UnixAddr{Name: "@"}}), nil, ""},
		{"no peer", context.Background(), nil, ""},
		{"a peer without an address", peer.NewContext(context.Background(), &peer.Peer{}), nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, err := ByPeer(c.options...)(c.ctx, "/a.B/C"); got != c.want || err != nil {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
		})
	}
}

func TestByCredential(t *testing.T) {
	secret := []byte("a secret")
	known := func(text string) bool { return text == "k1" }
	for _, c := range []struct {
		name  string
		pairs []string
		key   KeyFunc
		want  string
	}{
		{"metadata", []string{"x-api-key", "k1"}, ByMetadata("X-API-Key", known, secret), httplimit.Hash(secret, "k1")},
		{"one that is not known", []string{"x-api-key", "k2"}, ByMetadata("x-api-key", known, secret), ""},
		{"twice", []string{"x-api-key", "k1", "x-api-key", "k1"}, ByMetadata("x-api-key", known, secret), ""},
		{"none", nil, ByMetadata("x-api-key", AnyValue, secret), ""},
		{"bearer", []string{"authorization", "Bearer k1"}, ByBearer(known, nil), Hash(nil, "k1")},
		{"another scheme", []string{"authorization", "Basic k1"}, ByBearer(known, nil), ""},
		{"no scheme", []string{"authorization", "k1"}, ByBearer(AnyValue, nil), ""},
		{"none of two, then the address", []string{"x-api-key", "k2"}, FirstOf(ByMetadata("x-api-key", known, secret), ByBearer(known, nil), ByPeer()), "203.0.113.7"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, err := c.key(from("203.0.113.7", c.pairs...), "/a.B/C"); got != c.want || err != nil {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
		})
	}
}

// Over a real connection the peer has an address, and each has a limit of its own.
func TestPeersOverTCP(t *testing.T) {
	limiter := newLimiter(t, atT0, weir.PerMinute(1))
	client, stop := serve(t, &service{}, New(limiter, ByPeer()), true)
	defer stop()
	for _, want := range []codes.Code{codes.OK, codes.ResourceExhausted} {
		if _, _, err := call(client); status.Code(err) != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if r, err := limiter.Peek(context.Background(), "127.0.0.1", 1); err != nil || r.Remaining != 0 {
		t.Errorf("127.0.0.1 has %+v, %v", r, err)
	}
}
