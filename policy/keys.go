package policy

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/credential"
)

// Keys are all keys under which a layer can hold a caller's state, for a reset;
// whether it holds any is not known here. caller is an identity as answers show
// it ("ip:203.0.113.7", "ip:203.0.113.7|method:GET"). Where the layer counts by
// one thing, that thing alone will do too: an address, an API key, a method, a
// host, a header's value; everybody is "all". The error says that there is no
// such layer, or what its identities look like; it never repeats caller, which
// may be a credential.
func (p *Policy) Keys(layer, caller string) ([]weir.Key, error) {
	if layer == "adhoc" {
		return nil, errors.New("policy: states of ad hoc checks are in no layer: each has its algorithm and period in its name, and these are not known here")
	}
	l := p.layer(layer)
	if l == nil {
		return nil, fmt.Errorf("policy: there is no layer %q: %s", layer, choice(layer, p.Layers()))
	}
	identity, ok := p.identityIn(&l.by, caller)
	if !ok {
		return nil, fmt.Errorf("policy: layer %s does not count by that: %s", layer, l.by.form())
	}
	keys := make([]weir.Key, len(l.limits))
	for i, limit := range l.limits {
		keys[i] = weir.Key{Layer: layer, Limit: limit, Identity: identity}
	}
	return keys, nil
}

// identityIn is the identity of a caller where it is counted by b; ok is false
// where no request has such an identity.
func (p *Policy) identityIn(b *by, caller string) (identity string, ok bool) {
	if len(b.parts) == 1 {
		return p.identityOf(&b.parts[0], caller)
	}
	texts := strings.Split(caller, "|") // it is escaped within a part
	if len(texts) != len(b.parts) {
		return "", false
	}
	for i := range texts {
		if texts[i], ok = p.shown(&b.parts[i], texts[i]); !ok {
			return "", false
		}
	}
	return strings.Join(texts, "|"), true
}

// identityOf reads what a person knows of a caller. A listed key that looks like
// something else is the key.
func (p *Policy) identityOf(part *part, caller string) (string, bool) {
	_, isListed := p.clients.listed[caller]
	if part.kind == "client" && isListed {
		return p.keyIdentity(caller), true
	}
	if identity, ok := p.shown(part, caller); ok {
		return identity, true
	}
	r := request{p: p}
	switch part.kind {
	case "ip":
		return p.network(caller)
	case "client":
		if identity, ok := p.network(caller); ok {
			return identity, true
		}
		// A key that is not on the list is as good as none: nothing is counted
		// under it.
		return p.keyIdentity(caller), p.clients.listed == nil && !strings.HasPrefix(caller, addressPrefix) && !strings.HasPrefix(caller, keyPrefix)
	case "method":
		return "method:" + caller, knownMethod(caller) == caller
	case "host":
		return string(r.appendText([]byte("host:"), normalHost(caller))), !strings.HasPrefix(caller, "host:")
	case "header":
		return string(r.appendHeader(nil, part, []string{caller})), !strings.HasPrefix(caller, headerPrefix+part.header+"=")
	}
	return "", false
}

// shown reads a part of an identity as answers show it.
func (p *Policy) shown(part *part, text string) (string, bool) {
	address, isAddress := strings.CutPrefix(text, addressPrefix)
	switch part.kind {
	case "all":
		return text, text == "all"
	case "method":
		method, ok := strings.CutPrefix(text, "method:")
		return text, ok && knownMethod(method) == method
	case "host":
		return text, isShown(text, "host:", false)
	case "client":
		if hash, ok := strings.CutPrefix(text, keyPrefix); ok {
			return text, isHash(hash)
		}
	case "header":
		if isShown(text, headerPrefix+part.header+"=", part.secret) {
			return text, true
		}
	}
	if !isAddress {
		return "", false
	}
	return p.network(address)
}

// isShown reports whether text is what stands in an identity behind a prefix:
// escaped, or hashed behind a "~" as every secret is.
func isShown(text, prefix string, secret bool) bool {
	value, ok := strings.CutPrefix(text, prefix)
	if hash, hashed := strings.CutPrefix(value, "~"); hashed || secret {
		return ok && hashed && isHash(hash)
	}
	if !ok || value == "()" {
		return ok
	}
	for i := range len(value) {
		if !isPlain(value[i]) && value[i] != '%' {
			return false
		}
	}
	return value != ""
}

func isHash(text string) bool {
	hash, err := base64.RawURLEncoding.DecodeString(text)
	return err == nil && len(hash) == credential.HashBytes
}

// network is the identity of an address, or of a network as identities have it.
func (p *Policy) network(text string) (string, bool) {
	addr, err := netip.ParseAddr(text)
	if network, bad := netip.ParsePrefix(text); bad == nil {
		addr, err = network.Addr(), nil
	}
	if err != nil {
		return "", false
	}
	r := request{p: p, a: &Attributes{IP: addr}}
	return r.addressIdentity()
}

// form says how callers are written where they are counted by b.
func (b *by) form() string {
	if len(b.parts) == 1 {
		return "write " + b.parts[0].form()
	}
	texts := make([]string, len(b.parts))
	for i := range b.parts {
		texts[i] = b.parts[i].example()
	}
	return "write all its parts, as answers show them: " + strings.Join(texts, "|")
}

func (p *part) form() string {
	switch p.kind {
	case "ip":
		return "an address, such as 203.0.113.7"
	case "client":
		return "an API key (a listed one, if keys are listed), an address, or an identity as answers show it, such as " + p.example()
	case "method":
		return "a method, such as GET, or method:other for those that are not known"
	}
	return p.example()
}

func (p *part) example() string {
	switch {
	case p.kind == "ip":
		return addressPrefix + "203.0.113.7"
	case p.kind == "client":
		return keyPrefix + "…"
	case p.kind == "method":
		return "method:GET"
	case p.kind == "host":
		return "host:api.example.com"
	case p.secret:
		return headerPrefix + p.header + "=~…"
	case p.kind == "header":
		return headerPrefix + p.header + "=…"
	}
	return p.kind
}
