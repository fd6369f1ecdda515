package extauthz

import (
	"net/http"
	"reflect"
	"testing"

	core "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	auth "github.com/envoyproxy/go-control-plane/envoy/service/auth/v3"

	"github.com/weirhq/weir/clientip"
)

func TestAttributes(t *testing.T) {
	e := allowing()
	check(t, e, "10.0.0.1", attributes("203.0.113.7", "X-API-Key", "k1", "X-Original-Uri", "/elsewhere", "X-Forwarded-Host", "elsewhere.example"))
	a := e.asked
	if a.IP.String() != "203.0.113.7" || a.Method != "POST" || a.Host != "api.example.com" || a.Path != "/search?q=1" || a.Cost != 1 || a.Peek || !a.Trusted {
		t.Errorf("%+v", a)
	}
	want := http.Header{"X-Api-Key": {"k1"}, "X-Original-Uri": {"/elsewhere"}, "X-Forwarded-Host": {"elsewhere.example"}}
	if !reflect.DeepEqual(a.Header, want) {
		t.Errorf("header %v", a.Header)
	}
}

// What only a client has written names nobody.
func TestClient(t *testing.T) {
	for _, one := range []struct {
		name, envoy, source, forwarded string
		want                           string
		outcome                        clientip.Outcome
	}{
		{"Envoy's peer", "10.0.0.1", "203.0.113.7", "", "203.0.113.7", clientip.Direct},
		{"forged", "10.0.0.1", "203.0.113.7", "192.0.2.1", "203.0.113.7", clientip.Ignored},
		{"forged, and Envoy's own", "10.0.0.1", "203.0.113.7", "192.0.2.1, 203.0.113.7", "203.0.113.7", clientip.Ignored},
		{"IPv6", "10.0.0.1", "2001:db8::7", "", "2001:db8::7", clientip.Direct},
		{"IPv4 on a socket of both", "10.0.0.1", "::ffff:203.0.113.7", "", "203.0.113.7", clientip.Direct},
		{"behind a balancer", "10.0.0.1", "10.0.0.9", "192.0.2.1, 203.0.113.7", "203.0.113.7", clientip.Found},
		{"behind a balancer that Envoy has appended", "10.0.0.1", "10.0.0.9", "192.0.2.1, 203.0.113.7, 10.0.0.9", "203.0.113.7", clientip.Found},
		{"a balancer's own", "10.0.0.1", "10.0.0.9", "", "10.0.0.9", clientip.Absent},
		{"a stranger in Envoy's place", "198.51.100.5", "203.0.113.7", "192.0.2.1", "198.51.100.5", clientip.Ignored},
		{"junk", "10.0.0.1", "elsewhere", "192.0.2.1", "invalid IP", clientip.Absent},
	} {
		t.Run(one.name, func(t *testing.T) {
			e, in := allowing(), attributes(one.source)
			if one.forwarded != "" {
				in = attributes(one.source, "X-Forwarded-For", one.forwarded, "X-Real-IP", "192.0.2.9", "Forwarded", "for=192.0.2.9")
			}
			check(t, e, one.envoy, in)
			if got := e.asked.IP.String(); got != one.want || e.resolved[0] != one.outcome {
				t.Errorf("%s, %v; want %s, %v", got, e.resolved, one.want, one.outcome)
			}
		})
	}
}

// On a Unix socket of Envoy's there is no address, and no header makes one.
func TestUnixSocket(t *testing.T) {
	e, in := allowing(), attributes("", "X-Forwarded-For", "192.0.2.1")
	in.Source.Address = &core.Address{Address: &core.Address_Pipe{Pipe: &core.Pipe{Path: "/run/envoy.sock"}}}
	check(t, e, "10.0.0.1", in)
	if e.asked.IP.IsValid() {
		t.Errorf("the address is %s", e.asked.IP)
	}
}

// With encode_raw_headers lines stay apart.
func TestRawHeaders(t *testing.T) {
	e, in := allowing(), attributes("10.0.0.9")
	in.Request.Http.Headers = nil
	in.Request.Http.HeaderMap = &core.HeaderMap{Headers: []*core.HeaderValue{
		{Key: ":path", RawValue: []byte("/search")},
		{Key: "x-api-key", RawValue: []byte("k\xff")},
		{Key: "x-forwarded-for", RawValue: []byte("192.0.2.1")},
		{Key: "x-forwarded-for", RawValue: []byte("203.0.113.7")},
	}}
	check(t, e, "10.0.0.1", in)
	want := http.Header{"X-Api-Key": {"k\xff"}, "X-Forwarded-For": {"192.0.2.1", "203.0.113.7"}}
	if !reflect.DeepEqual(e.asked.Header, want) || e.asked.IP.String() != "203.0.113.7" {
		t.Errorf("%s %v", e.asked.IP, e.asked.Header)
	}
}

// A connection that Envoy's network filter asks about has an address alone.
func TestConnection(t *testing.T) {
	e := allowing()
	check(t, e, "10.0.0.1", &auth.AttributeContext{Source: &auth.AttributeContext_Peer{Address: socket("203.0.113.7")}})
	if a := e.asked; a.IP.String() != "203.0.113.7" || a.Method != "" || a.Path != "" || len(a.Header) != 0 {
		t.Errorf("%+v", a)
	}
}

// Whatever a message leaves out, it is answered.
func TestEmpty(t *testing.T) {
	e := allowing()
	check(t, e, "10.0.0.1", nil)
	if e.asked.IP.IsValid() {
		t.Errorf("%+v", e.asked)
	}
}
