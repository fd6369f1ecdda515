package clientip_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"

	"github.com/weirhq/weir/clientip"
)

// A handler behind one proxy: who is asking, and under which key to count.
func Example() {
	trusted, err := clientip.ParsePrefixes([]string{"10.0.0.0/8"})
	if err != nil {
		fmt.Println(err)
		return
	}
	resolver := clientip.Resolver{Trusted: trusted, Header: clientip.XForwardedFor}

	// The client wrote 1.1.1.1 itself; the proxy 10.0.0.5 appended the rest.
	r := &http.Request{
		RemoteAddr: "10.0.0.5:41234",
		Header:     http.Header{"X-Forwarded-For": {"1.1.1.1, 2001:db8:1:2::7"}},
	}
	peer, _ := clientip.Peer(r.RemoteAddr)
	client, outcome := resolver.Resolve(peer, r.Header[resolver.Header.Name()])

	var buf [clientip.MaxKeyLen]byte
	key, ok := clientip.Masks{}.AppendKey(buf[:0], client)
	fmt.Println(client, outcome)
	fmt.Println(string(key), ok)
	// Output:
	// 2001:db8:1:2::7 found
	// 2001:db8:1:2::/64 true
}

func ExampleResolver_Resolve() {
	trusted, _ := clientip.ParsePrefixes([]string{"10.0.0.0/8"})
	resolver := clientip.Resolver{Trusted: trusted, Header: clientip.Forwarded}
	proxy, stranger := netip.MustParseAddr("10.0.0.5"), netip.MustParseAddr("198.51.100.9")

	fmt.Println(resolver.Resolve(proxy, []string{`for=1.1.1.1, for="203.0.113.7:5123";proto=https, for=10.0.0.8`}))
	fmt.Println(resolver.Resolve(proxy, []string{`for=203.0.113.7, for=_hidden, for=10.0.0.8`}))
	fmt.Println(resolver.Resolve(proxy, nil))
	fmt.Println(resolver.Resolve(stranger, []string{`for=203.0.113.7`}))
	// Output:
	// 203.0.113.7 found
	// 10.0.0.8 junk
	// 10.0.0.5 absent
	// 198.51.100.9 ignored
}

func ExampleParsePrefixes() {
	trusted, err := clientip.ParsePrefixes([]string{"::ffff:10.0.0.0/104", "10.1.0.0/16", "2001:db8::5"})
	fmt.Println(trusted, err)

	_, err = clientip.ParsePrefixes([]string{"10.0.0.0/8", "10.0.0/24"})
	fmt.Println(err)
	if bad := (*clientip.PrefixError)(nil); errors.As(err, &bad) {
		fmt.Println("item", bad.Index, bad.Text)
	}
	// Output:
	// 10.0.0.0/8, 2001:db8::5/128 <nil>
	// clientip: prefix [1] "10.0.0/24": not an IP address or a prefix of one
	// item 1 10.0.0/24
}

func ExampleParseSource() {
	source, err := clientip.ParseSource("X-Forwarded-For")
	fmt.Println(source, source.Name(), err)

	_, err = clientip.ParseSource("X-Client-IP")
	fmt.Println(err)
	// Output:
	// x-forwarded-for X-Forwarded-For <nil>
	// clientip: header "X-Client-IP": want none, x-forwarded-for, forwarded or x-real-ip
}

func ExamplePeer() {
	fmt.Println(clientip.Peer("[::ffff:203.0.113.7]:5123"))
	fmt.Println(clientip.Peer("[fe80::1%eth0]:443"))
	fmt.Println(clientip.Peer("@"))
	// Output:
	// 203.0.113.7 true
	// fe80::1 true
	// invalid IP false
}

// One customer's network is one caller, whatever address its hosts pick.
func ExampleMasks_Network() {
	masks, err := clientip.NewMasks(32, 56)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(masks.Network(netip.MustParseAddr("2001:db8:1:2ff::1")))
	fmt.Println(masks.Network(netip.MustParseAddr("::ffff:203.0.113.7")))

	_, err = clientip.NewMasks(32, 129)
	fmt.Println(err)
	// Output:
	// 2001:db8:1:200::/56
	// 203.0.113.7/32
	// clientip: IPv6 prefix length 129: want 1 to 128
}

func ExampleMasks_AppendKey() {
	var masks clientip.Masks // IPv4 whole, IPv6 by /64
	for _, text := range []string{"203.0.113.7", "::ffff:203.0.113.7", "2001:DB8:1:2:ffff::9", "64:ff9b::203.0.113.7"} {
		key, ok := masks.AppendKey(nil, netip.MustParseAddr(text))
		fmt.Println(string(key), ok)
	}
	// Output:
	// 203.0.113.7 true
	// 203.0.113.7 true
	// 2001:db8:1:2::/64 true
	// 64:ff9b::cb00:7107 true
}
