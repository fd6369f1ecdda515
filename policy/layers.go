package policy

import (
	"slices"

	"github.com/weirhq/weir"
)

// reservedLayers are namespaces that this module uses for checks of its own.
var reservedLayers = []string{"adhoc", "limiter"}

func (k *compiler) layers(p *Policy) {
	if len(k.c.Layers) == 0 {
		k.fail("layers", "write at least one: {name: edge, by: ip, limit: 100/min}", "there are no layers")
	}
	var names []string
	for i := range k.c.Layers {
		l, path := &k.c.Layers[i], inList("layers", i)
		k.layerName(path, l.Name, names)
		names = append(names, l.Name)
		p.layers = append(p.layers, k.layer(path, l))
	}
}

func (k *compiler) layerName(path, name string, before []string) {
	at := inField(path, "name")
	switch {
	case name == "":
		k.fail(at, "write name: edge", "the layer has no name")
	case slices.Contains(reservedLayers, name):
		k.fail(at, "choose another name", "the name %q is taken for checks without a policy", name)
	case !validName(name):
		k.fail(at, nameHint, "the layer's name is %q", name)
	case slices.Contains(before, name):
		k.fail(at, "give each layer a name of its own", "a second layer %q", name)
	}
}

// title is the layer in messages.
func (l *Layer) title() string {
	if l.Name == "" {
		return "the layer"
	}
	return "layer " + l.Name
}

func (k *compiler) layer(path string, l *Layer) *layer {
	c := &layer{name: l.Name, path: path, shadow: l.Shadow, onError: onErrorOf(l.OnError), charge: chargingOf(l.Charge)}
	c.by = k.by(inField(path, "by"), l)
	c.allow = k.callers(inField(path, "allow"), l.Allow)
	c.deny = k.callers(inField(path, "deny"), l.Deny)
	within := k.match(path, l, c)
	r := k.routes(path, l, c.by.route, within)
	if len(r.patterns) > 0 {
		c.routes = newMux(r.patterns)
	}
	for i, limit := range r.limits {
		c.rules = append(c.rules, k.rule(path, l, limit))
		if c.routes != nil {
			c.rules[i].pattern = r.patterns[i].text
			c.rules[i].never = c.match.never(r.patterns[i], within)
		}
	}
	c.finish()
	return c
}

func chargingOf(word string) weir.Charging {
	switch word {
	case "admitted":
		return weir.Admitted
	case "independent":
		return weir.Independent
	default:
		return weir.Arriving
	}
}

// rule compiles the limits of one route.
func (k *compiler) rule(path string, l *Layer, where placed) rule {
	r := rule{path: where.path}
	around := k.inherit(l.Settings, path, Settings{})
	r.live = k.set(l, func(t *terms) { k.collect(t, where.limit, where.path, around) })
	r.candidates = k.set(l, func(t *terms) {
		k.candidates(t, where.limit, where.path, around)
		if l.Candidate != nil && where.limit == l.Limit {
			k.candidate(t, l.Candidate, inField(path, "candidate"), around, where.limit.Name)
		}
	})
	if l.Candidate != nil && l.Limit == nil {
		k.fail(inField(path, "candidate"), "write it in the route", "a candidate stands beside limit, and there is none")
	}
	k.apart(path, l, &r)
	return r
}

// set collects the limits for every plan, or once where the plan does not
// matter.
func (k *compiler) set(l *Layer, collect func(*terms)) set {
	var s set
	for plan := range max(1, len(k.plans)) {
		if len(k.plans) == 0 {
			plan = -1
		}
		t := &terms{owner: l.title(), plan: plan}
		collect(t)
		slices.SortStableFunc(t.out, func(a, b limit) int { return a.place() - b.place() })
		s.byPlan = append(s.byPlan, t.out)
		if s.planned = s.planned || t.planned; !s.planned {
			break
		}
	}
	return s
}

// place orders limits by their group: the checks of one stand together.
func (l *limit) place() int {
	place := int(l.onError)
	if l.shadow {
		place += 1 + int(weir.OnErrorDeny)
	}
	return place
}

// apart refuses what cannot hold for limits that are taken all or nothing.
func (k *compiler) apart(path string, l *Layer, r *rule) {
	for _, list := range append(slices.Clone(r.live.byPlan), r.candidates.byPlan...) {
		for i := range list {
			one := &list[i]
			if one.limit.CountsAll() && l.Charge == "admitted" {
				at := inField(one.path, "count")
				if l.Count == "all" {
					at = inField(path, "count")
				}
				k.fail(at, "choose one of them", "%s: count: all counts refused requests, and charge: admitted does not charge them", l.title())
			}
			if !one.shadow && one.onError != list[0].onError && l.Charge != "independent" {
				k.fail(inField(one.path, "on_error"), "write on_error once, for all of them", "%s: limits that are taken together differ in on_error", l.title())
			}
		}
	}
}

// onErrorOf reads a word that was checked by its tag.
func onErrorOf(word string) weir.OnError {
	switch word {
	case "allow":
		return weir.OnErrorAllow
	case "deny":
		return weir.OnErrorDeny
	default:
		return weir.OnErrorLocal
	}
}
