package forwardauth

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/weirhq/weir/clientip"
)

// everyHeader holds every header that some proxy names a request with, each with a
// value that tells where it comes from.
var everyHeader = http.Header{
	"X-Real-Ip":       {"192.0.2.1"},
	"X-Forwarded-For": {"192.0.2.2"}, "Forwarded": {"for=192.0.2.3"}, "Cf-Connecting-Ip": {"192.0.2.4"}, "True-Client-Ip": {"192.0.2.5"},
	"X-Original-Method": {"PUT"}, "X-Forwarded-Method": {"PATCH"}, "X-Http-Method-Override": {"DELETE"},
	"X-Original-Uri": {"/original?a=1"}, "X-Forwarded-Uri": {"/forwarded?a=1"}, "X-Original-Url": {"/url"}, "X-Rewrite-Url": {"/rewrite"}, "X-Envoy-Original-Path": {"/envoy"},
	"X-Original-Host": {"original.example"}, "X-Forwarded-Host": {"forwarded.example"}, "X-Host": {"x.example"},
}

func trusting(t testing.TB, networks ...string) *engine {
	t.Helper()
	trusted, err := clientip.ParsePrefixes(networks)
	if err != nil {
		t.Fatal(err)
	}
	return &engine{trusted: trusted}
}

func named(t testing.TB, profile string) Profile {
	t.Helper()
	p, err := ProfileNamed(profile)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Each profile believes one set of headers from a trusted peer, and none from
// anybody else.
func TestProfilesBelieveOneSet(t *testing.T) {
	own := understood{"10.0.0.1", "GET", "weir:8080", "/own"}
	for _, c := range []struct {
		profile string
		want    understood
	}{
		{"plain", understood{"192.0.2.2", "PATCH", "forwarded.example", "/forwarded?a=1"}},
		{"nginx", understood{"192.0.2.1", "PUT", "original.example", "/original?a=1"}},
		{"haproxy", understood{"192.0.2.1", "PUT", "original.example", "/original?a=1"}},
		{"caddy", understood{"192.0.2.2", "PATCH", "forwarded.example", "/forwarded?a=1"}},
		{"traefik", understood{"192.0.2.2", "PATCH", "forwarded.example", "/forwarded?a=1"}},
		{"envoy", understood{"192.0.2.2", "GET", "weir:8080", "/own"}},
	} {
		t.Run(c.profile, func(t *testing.T) {
			for _, peer := range []struct {
				e    *engine
				want understood
			}{{trusting(t, "10.0.0.0/8"), c.want}, {trusting(t), own}} {
				askAs(named(t, c.profile), peer.e, "GET", "http://weir:8080/check/own?a=1", everyHeader)
				if peer.e.asked == nil {
					t.Fatal("nothing was decided")
				}
				if got := peer.e.understood(); got != peer.want {
					t.Errorf("got  %+v\nwant %+v", got, peer.want)
				}
			}
		})
	}
}

// A proxy that leaves out one of its headers is seen at once: it has left the
// client's in place, or would be judged by its own request.
func TestTrustedProxyNamesTheWholeRequest(t *testing.T) {
	for _, name := range ProfileNames() {
		p := named(t, name)
		for _, header := range []string{p.client.Name(), p.set.method, p.set.uri, p.set.host} {
			if header == "" {
				continue
			}
			sent := maps.Clone(everyHeader)
			delete(sent, header)
			e := trusting(t, "10.0.0.1")
			w := askAs(p, e, "GET", "http://weir/check", sent)
			if name == "plain" {
				if e.asked == nil {
					t.Errorf("plain without %s: %d %s", header, w.Code, w.Body)
				}
				continue
			}
			if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "did not send "+header) || e.asked != nil {
				t.Errorf("%s without %s: %d %s", name, header, w.Code, w.Body)
			}
		}
	}
}

// An HTTP/1.0 request may have no Host, and says so.
func TestProxyMaySayThatThereIsNoHost(t *testing.T) {
	e, sent := trusting(t, "10.0.0.1"), maps.Clone(everyHeader)
	sent["X-Original-Host"] = []string{""}
	askAs(named(t, "haproxy"), e, "GET", "http://weir/check", sent)
	if e.asked == nil || e.asked.Host != "" {
		t.Errorf("%+v", e.asked)
	}
}

func TestThereIsNoSuchProfile(t *testing.T) {
	for _, name := range []string{"apache", "Nginx", "nginx "} {
		if _, err := ProfileNamed(name); err == nil {
			t.Errorf("there is a profile %q", name)
		}
	}
}
