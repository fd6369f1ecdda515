package policy

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"
)

func TestCaller(t *testing.T) {
	p := Default() // it believes every key
	ip := netip.MustParseAddr("2001:db8:1:2::7")
	if got := p.Caller(&Attributes{IP: ip}); got != "ip:2001:db8:1:2::/64" {
		t.Errorf("without a key it is %q", got)
	}
	if got := p.Caller(&Attributes{IP: ip, Header: http.Header{"X-Api-Key": {"k1"}}}); !strings.HasPrefix(got, "key:") {
		t.Errorf("with a key it is %q", got)
	}
	if got := p.Caller(&Attributes{}); got != "" {
		t.Errorf("unknown, it is %q", got)
	}
}
