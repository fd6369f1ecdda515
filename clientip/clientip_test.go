package clientip_test

import (
	"net/netip"
	"testing"

	"github.com/weirhq/weir/clientip"
)

// proxies is what most tests trust; 10.0.0.5 is the peer of case B47.
var proxies = []string{"10.0.0.0/8", "2001:db8:ffff::/48"}

var (
	proxy    = netip.MustParseAddr("10.0.0.5")
	stranger = netip.MustParseAddr("198.51.100.9")
)

func trusting(t testing.TB, header clientip.Source) clientip.Resolver {
	t.Helper()
	trusted, err := clientip.ParsePrefixes(proxies)
	if err != nil {
		t.Fatal(err)
	}
	return clientip.Resolver{Trusted: trusted, Header: header}
}

// addrOf reads an address of a test table; "" is the zero Addr.
func addrOf(t testing.TB, text string) netip.Addr {
	t.Helper()
	if text == "" {
		return netip.Addr{}
	}
	addr, err := netip.ParseAddr(text)
	if err != nil {
		t.Fatal(err)
	}
	return addr
}
