package policy

import (
	"slices"
	"strings"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/clientip"
	"github.com/weirhq/weir/internal/credential"
)

// Policy decides which limits a request meets. It is immutable: a reload makes a
// new one. [Config.Compile] makes it, and [Default].
type Policy struct {
	layers  []*layer
	most    int // checks that one request can meet, to make room for
	clients clients
	hash    *credential.Hasher
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

// Leases reports whether a limit of a layer that runs has a lease, which needs a
// shared store.
func (p *Policy) Leases() bool { return slices.ContainsFunc(p.layers, (*layer).leases) }

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

// Identity is a caller's identity in keys. An identity stays as it is; an
// address, or a network as identities have it, becomes "ip:…" of its network;
// anything else is an API key and becomes "key:…" with its hash.
func (p *Policy) Identity(caller string) string {
	if _, ok := p.clients.listed[caller]; ok {
		return p.keyIdentity(caller)
	}
	if identity, ok := p.network(strings.TrimPrefix(caller, addressPrefix)); ok {
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
