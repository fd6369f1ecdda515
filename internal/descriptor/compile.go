package descriptor

import (
	"errors"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/weirhq/weir"
)

// place is where a descriptor stands: the path to it, and the patterns on it that
// are counted as one.
type place struct {
	path   string
	shared []string
}

// children reads a list of descriptors into a node.
func (l *loader) children(parent *node, path string, shared []string, list *yaml.Node) {
	l.list(list, "descriptors", func(n *yaml.Node) {
		if l.depth == maxDepth {
			l.fail(n, "nothing is asked that deep", "nested deeper than %d descriptors", maxDepth)
			return
		}
		if !l.room(n) {
			return
		}
		l.depth++
		l.descriptor(parent, place{path, shared}, n)
		l.depth--
	})
}

// room counts what the configuration comes to, and says once that it is too much.
func (l *loader) room(n *yaml.Node) bool {
	if l.nodes++; l.nodes == maxNodes {
		l.fail(n, "share them out among several processes", "the files come to more than %d descriptors, replaced names and values of metadata", maxNodes)
	}
	return l.nodes < maxNodes
}

// written is a descriptor as it stands in the file.
type written struct {
	key, value  string
	limit       *yaml.Node
	descriptors *yaml.Node
	shadow      bool
	quota       bool
	share       *yaml.Node // where it is true
	metadata    *yaml.Node
}

func (l *loader) descriptor(parent *node, at place, n *yaml.Node) {
	var w written
	l.mapping(n, "a descriptor",
		field{"key", func(n *yaml.Node) { w.key = l.text(n, "key") }},
		field{"value", func(n *yaml.Node) { w.value = l.value(n) }},
		field{"rate_limit", func(n *yaml.Node) { w.limit = n }},
		field{"descriptors", func(n *yaml.Node) { w.descriptors = n }},
		field{"shadow_mode", func(n *yaml.Node) { w.shadow = l.boolean(n, "shadow_mode") }},
		field{"quota_mode", func(n *yaml.Node) { w.quota = l.boolean(n, "quota_mode") }},
		field{"detailed_metric", func(n *yaml.Node) { l.ineffective(n, "detailed_metric") }},
		field{"value_to_metric", func(n *yaml.Node) { l.ineffective(n, "value_to_metric") }},
		field{"share_threshold", func(n *yaml.Node) {
			if l.boolean(n, "share_threshold") {
				w.share = n
			}
		}},
		field{"metadata", func(n *yaml.Node) { w.metadata = n }},
	)
	n = resolve(n)
	if w.key == "" {
		if n.Kind == yaml.MappingNode && !slices.ContainsFunc(n.Content, func(n *yaml.Node) bool { return n.Value == "key" }) {
			l.fail(n, "write key: NAME", "a descriptor without a key")
		}
		return
	}
	wild := strings.Contains(w.value, "*")
	child := parent.add(w.key, w.value, wild)
	if child == nil {
		l.fail(n, "keep one of them", "%s is here twice", rulePath(at.path, w.key, w.value))
		return
	}
	at.path = rulePath(at.path, w.key, w.value)
	own := ""
	if w.share != nil {
		if own = w.value; !wild {
			l.fail(w.share, "write value: with a * in it, or remove share_threshold", "share_threshold without a wildcard shares nothing")
		}
	}
	at.shared = append(slices.Clip(at.shared), own)
	l.rule(child, at, &w)
	l.children(child, at.path, at.shared, w.descriptors)
}

// value may be empty, which is none.
func (l *loader) value(n *yaml.Node) string {
	if n := resolve(n); isNull(n) || n.Kind == yaml.ScalarNode && n.Value == "" {
		return ""
	}
	return l.text(n, "value")
}

// ineffective reads a field that asks for a metric for each value that callers
// send. A metric here never holds one: their number has no bound.
func (l *loader) ineffective(n *yaml.Node, name string) {
	if l.boolean(n, name) && !l.warned {
		l.warned = true
		l.warnings = append(l.warnings, l.problem(resolve(n), "weir_checks_total has a label for each descriptor of the file", "%s has no effect: metrics hold no values of callers", name))
	}
}

// rule compiles the limit that stands at a node, if there is one.
func (l *loader) rule(at *node, p place, w *written) {
	metadata := l.metadata(w.metadata)
	if w.limit == nil {
		return
	}
	rule := &Rule{Quota: w.quota, Metadata: metadata, path: p.path}
	if slices.ContainsFunc(p.shared, func(pattern string) bool { return pattern != "" }) {
		rule.shared = p.shared
	}
	if group, ok := l.rateLimit(rule, w.limit); ok {
		group.Shadow = w.shadow
		rule.group = l.group(group)
		at.rule = rule
		l.set.summary = append(l.set.summary, l.layer+" "+rule.path+": "+rule.String())
	}
}

// rate is what a rate_limit says of its numbers, and where.
type rate struct {
	unit, requests, algorithm, burst *yaml.Node // nil where it is not there
	period                           time.Duration
	count, capacity                  int64
	rule                             weir.Algorithm
}

// rateLimit reads a rate_limit; ok is false after a mistake.
func (l *loader) rateLimit(rule *Rule, n *yaml.Node) (g weir.Group, ok bool) {
	before := l.failed
	var r rate
	g.Charge = weir.Independent
	l.mapping(n, "rate_limit",
		field{"unit", func(n *yaml.Node) { r.unit, r.period = n, l.unit(n) }},
		field{"requests_per_unit", func(n *yaml.Node) { r.requests, r.count = n, l.count(n, "requests_per_unit", 0, maxNamed) }},
		field{"unlimited", func(n *yaml.Node) { rule.Unlimited = l.boolean(n, "unlimited") }},
		field{"name", func(n *yaml.Node) {
			rule.Name = l.text(n, "name")
			l.names = append(l.names, rule.Name)
		}},
		field{"replaces", func(n *yaml.Node) { l.replaces(rule, n) }},
		field{"algorithm", func(n *yaml.Node) { r.algorithm, r.rule = n, l.algorithm(n) }},
		field{"burst", func(n *yaml.Node) { r.burst, r.capacity = n, l.count(n, "burst", 1, maxBurst) }},
		field{"on_error", func(n *yaml.Node) { g.OnError = l.onError(n) }},
	)
	l.set.replacing = l.set.replacing || len(rule.replaces) > 0
	n = resolve(n)
	switch {
	case l.failed > before:
	case slices.Contains(rule.replaces, rule.Name):
		l.fail(n, "it would never count", "a limit replaces itself")
	case rule.Unlimited:
		l.unlimited(&r)
	case r.unit == nil:
		l.fail(n, "write unit: minute", "unit is missing")
	case r.requests == nil:
		l.fail(n, "write requests_per_unit: 0 to refuse all", "requests_per_unit is missing")
	default:
		rule.Requests, rule.Unit = uint32(r.count), unitOf(r.period)
		rule.limit = l.limit(&r)
	}
	return g, l.failed == before
}

// unlimited refuses what has no meaning there. The predecessor passes over
// requests_per_unit, which is often left in place.
func (l *loader) unlimited(r *rate) {
	for _, extra := range []*yaml.Node{r.unit, r.algorithm, r.burst} {
		if extra != nil {
			l.fail(resolve(extra), "remove it, or unlimited", "what is unlimited has no unit, algorithm or burst")
		}
	}
}

func (l *loader) replaces(rule *Rule, n *yaml.Node) {
	l.list(n, "replaces", func(n *yaml.Node) {
		if !l.room(n) {
			return
		}
		l.mapping(n, "replaces", field{"name", func(n *yaml.Node) {
			name := l.text(n, "name")
			rule.replaces, l.replaced[name] = append(rule.replaces, name), resolve(n)
		}})
	})
}

func (l *loader) onError(n *yaml.Node) weir.OnError {
	switch l.word(n, "on_error", "local", "allow", "deny") {
	case "allow":
		return weir.OnErrorAllow
	case "deny":
		return weir.OnErrorDeny
	}
	return weir.OnErrorLocal
}

func (l *loader) unit(n *yaml.Node) time.Duration {
	text := l.text(n, "unit")
	if text == "" {
		return 0
	}
	period, hint := parseUnit(text)
	if hint != "" {
		l.fail(resolve(n), hint, "unit is %q", text)
	}
	return period
}

func (l *loader) algorithm(n *yaml.Node) weir.Algorithm {
	var words []string
	for _, a := range weir.Algorithms() {
		words = append(words, a.String())
	}
	a, _ := weir.ParseAlgorithm(l.word(n, "algorithm", words...)) // it is one of them
	return a
}

const maxBurst = 1 << 41

// limit compiles the numbers. Without an algorithm it is the predecessor's window.
func (l *loader) limit(r *rate) *weir.Limit {
	options := []weir.LimitOption{weir.WithAlgorithm(weir.FixedWindow), weir.WithCountAll()}
	if r.algorithm != nil {
		options = []weir.LimitOption{weir.WithAlgorithm(r.rule)}
	}
	if r.burst != nil {
		options = append(options, weir.WithBurst(r.capacity))
	}
	limit, err := weir.NewLimit(weir.Rate{Count: r.count, Period: r.period}, options...)
	if err == nil {
		return limit
	}
	wrong, _ := errors.AsType[*weir.LimitError](err) // it is no other
	switch {
	case wrong.Field == "burst" && r.algorithm == nil:
		l.fail(resolve(r.burst), "write algorithm: gcra or token-bucket, too", "burst does not exist without an algorithm")
	case wrong.Field == "burst" && r.burst != nil:
		l.fail(resolve(r.burst), "", "burst %s", wrong.Reason)
	case wrong.Field == "count":
		l.fail(resolve(r.requests), "", "requests_per_unit %s", wrong.Reason)
	default:
		l.fail(resolve(r.unit), "", "unit %s", wrong.Reason)
	}
	return nil
}

// group is the one of its kind: checks are grouped by address.
func (l *loader) group(kind weir.Group) *weir.Group {
	if l.groups[kind] == nil {
		l.groups[kind] = &kind
	}
	return l.groups[kind]
}
