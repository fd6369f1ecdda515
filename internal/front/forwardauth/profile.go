package forwardauth

import (
	"fmt"

	"github.com/weirhq/weir/clientip"
)

// Profile says which headers name the request to judge. Exactly one set is
// believed, and from trusted peers only; all look-alikes are ignored, because a
// proxy that sets one of them passes the client's own copies of the others on.
type Profile struct {
	// Name is what the profile is chosen by.
	Name string

	client clientip.Source
	set    set
	// proxy says that a trusted peer is a proxy that names all of the set. One
	// that leaves a header out has left the client's in place, or would be judged
	// by its own request.
	proxy bool
	// noOptions says that the whole query is the client's.
	noOptions bool
	// accel says that the proxy follows X-Accel-Redirect.
	accel bool
}

// set holds canonical header names. "" is what the check itself has: its method,
// its Host, and the path behind [Prefix].
type set struct{ method, uri, host string }

var (
	original  = set{method: "X-Original-Method", uri: "X-Original-Uri", host: "X-Original-Host"}
	forwarded = set{method: "X-Forwarded-Method", uri: "X-Forwarded-Uri", host: "X-Forwarded-Host"}
)

// Plain is for whoever asks by hand or from code: the method and the headers are
// the asker's own, the path is what follows /check, and a trusted peer may name
// all of them as X-Forwarded-For, -Method, -Uri and -Host.
var Plain = Profile{Name: "plain", client: clientip.XForwardedFor, set: forwarded, accel: true}

// profiles are all there are. Apache's is nginx.
var profiles = [...]Profile{
	Plain,
	{Name: "nginx", client: clientip.XRealIP, set: original, proxy: true, accel: true},
	{Name: "haproxy", client: clientip.XRealIP, set: original, proxy: true},
	{Name: "caddy", client: clientip.XForwardedFor, set: forwarded, proxy: true},
	{Name: "traefik", client: clientip.XForwardedFor, set: forwarded, proxy: true},
	{Name: "envoy", client: clientip.XForwardedFor, proxy: true, noOptions: true},
}

// ProfileNames are the names that [ProfileNamed] knows, the default first.
func ProfileNames() (names []string) {
	for i := range profiles {
		names = append(names, profiles[i].Name)
	}
	return names
}

// ProfileNamed finds a profile by its name; "" is [Plain].
func ProfileNamed(name string) (Profile, error) {
	if name == "" {
		return Plain, nil
	}
	for i := range profiles {
		if profiles[i].Name == name {
			return profiles[i], nil
		}
	}
	return Profile{}, fmt.Errorf("forwardauth: there is no profile %q", name)
}
