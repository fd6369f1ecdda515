package descriptor

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weirhq/weir"
)

// Set is a configuration, complete: what holds in which domain.
type Set struct {
	domains map[string]*domain
	// replacing: a rule replaces others.
	replacing bool
	summary   []string
}

type domain struct {
	layer string // of its keys
	root  node
}

// Domains are the names of the domains, sorted.
func (s *Set) Domains() []string { return slices.Sorted(maps.Keys(s.domains)) }

// Summary has a line for each limit, in the order of the files: its layer and name
// in keys and metrics, and what it admits.
func (s *Set) Summary() []string { return s.summary }

// IsLayer reports whether a layer's name is of the kind that domains have.
func IsLayer(layer string) bool { return strings.HasPrefix(layer, layerPrefix) }

// Keys are all keys under which a domain can hold a state for an identity, such
// as "user=ann|path=/pay", for a reset: that of the rule where it lands, and those
// of limits that requests bring along. layer is "envoy/DOMAIN".
func (s *Set) Keys(layer, identity string) ([]weir.Key, error) {
	d := s.domains[strings.TrimPrefix(layer, layerPrefix)]
	if d == nil || !IsLayer(layer) {
		return nil, fmt.Errorf("descriptor: there is no domain %q", strings.TrimPrefix(layer, layerPrefix))
	}
	entries, ok := parseIdentity(identity)
	if !ok {
		return nil, fmt.Errorf("descriptor: an identity is KEY=VALUE|KEY=VALUE, with %%25 for %%, %%3D for =, %%7C for | and %%7E for ~")
	}
	var keys []weir.Key
	if rule := d.root.find(entries); rule != nil && !rule.Unlimited {
		keys = append(keys, weir.Key{Layer: layer, Limit: rule.path, Identity: string(appendIdentity(nil, entries, rule.shared))})
	}
	for u := Second; u <= Year; u++ {
		keys = append(keys, weir.Key{Layer: layer, Limit: overridePath(u), Identity: string(appendIdentity(nil, entries, nil))})
	}
	return keys, nil
}
