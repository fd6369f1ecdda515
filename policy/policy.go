package policy

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/clientip"
)

// Policy decides which limits a request meets. It is immutable: a reload makes a
// new one. [Config.Compile] makes it, and [Default].
type Policy struct {
	layers  []*layer
	clients clients
	hash    *hasher
	masks   clientip.Masks
	trusted clientip.Prefixes
	files   []string

	allow, deny   callers
	skipUnknownIP bool
}

// Layers are the names of the layers that run, in order.
func (p *Policy) Layers() []string {
	names := make([]string, len(p.layers))
	for i, l := range p.layers {
		names[i] = l.name
	}
	return names
}

// Files are the files that were read beside the configuration: a change of one
// of them takes another [Config.Compile].
func (p *Policy) Files() []string { return slices.Clone(p.files) }

// TrustedProxies are the peers whose headers are believed.
func (p *Policy) TrustedProxies() clientip.Prefixes { return p.trusted }

// OnError says who answers for a layer while the store is out of reach;
// [weir.OnErrorLocal] for a layer that does not run. A route or a plan may differ
// from its layer: each check's group has its own.
func (p *Policy) OnError(layer string) weir.OnError {
	if l := p.layer(layer); l != nil {
		return l.onError
	}
	return weir.OnErrorLocal
}

func (p *Policy) layer(name string) *layer {
	for _, l := range p.layers {
		if l.name == name {
			return l
		}
	}
	return nil
}

// Keys are all keys under which a layer can hold a caller's state, for a reset.
// caller is an identity as answers show it ("ip:203.0.113.7", "key:…"), an
// address, or an API key. The error says that there is no such layer.
func (p *Policy) Keys(layer, caller string) ([]weir.Key, error) {
	l := p.layer(layer)
	if l == nil {
		return nil, fmt.Errorf("policy: there is no layer %q: %s", layer, choice(layer, p.Layers()))
	}
	identity := p.Identity(caller)
	keys := make([]weir.Key, len(l.limits))
	for i, limit := range l.limits {
		keys[i] = weir.Key{Layer: layer, Limit: limit, Identity: identity}
	}
	return keys, nil
}

// Identity is a caller's identity in keys. An identity stays as it is; an
// address, or a network as identities have it, becomes "ip:…" of its network;
// anything else is an API key and becomes "key:…" with its hash.
func (p *Policy) Identity(caller string) string {
	if _, ok := p.clients.listed[caller]; ok {
		return p.keyIdentity(caller)
	}
	addr, err := netip.ParseAddr(strings.TrimPrefix(caller, addressPrefix))
	if network, bad := netip.ParsePrefix(strings.TrimPrefix(caller, addressPrefix)); bad == nil {
		addr, err = network.Addr(), nil
	}
	if err == nil {
		r := request{p: p, a: &Attributes{IP: addr}}
		identity, _ := r.addressIdentity()
		return identity
	}
	for _, tag := range []string{addressPrefix, keyPrefix, "host:", "method:", headerPrefix} {
		if strings.HasPrefix(caller, tag) {
			return caller
		}
	}
	if caller == "all" {
		return caller
	}
	return p.keyIdentity(caller)
}
