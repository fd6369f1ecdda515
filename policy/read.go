package policy

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
)

// The types that can be written in several ways.

func (l *List) read(d *decoder, path string, n *yaml.Node) {
	if n.Kind != yaml.SequenceNode {
		if text, ok := d.text(path, n); ok {
			*l = List{text}
		}
		return
	}
	if len(n.Content) == 0 {
		d.fail(path, n, "fill it in or remove it", "%s is an empty list", name(path))
		return
	}
	*l = make(List, len(n.Content))
	for i, entry := range n.Content {
		d.value(inList(path, i), entry, &(*l)[i])
	}
}

func (m *Map[V]) read(d *decoder, path string, n *yaml.Node) {
	d.mapping(path, n, func(key, value *yaml.Node) {
		at := inMap(path, key.Value)
		var entry Entry[V]
		if _, texts := any(&entry.Value).(*string); texts {
			at = inList(path, len(*m)) // the key may be a credential: keep it out of paths
		}
		entry.Key = key.Value
		d.marks[asKey(at)] = mark{key.Line, key.Column}
		d.value(at, value, &entry.Value)
		*m = append(*m, entry)
	})
	if n.Kind == yaml.MappingNode && len(n.Content) == 0 {
		d.fail(path, n, "fill it in or remove it", "%s is an empty map", name(path))
	}
}

func (c *Cost) read(d *decoder, path string, n *yaml.Node) {
	if header, ok := strings.CutPrefix(n.Value, "header:"); ok && n.Kind == yaml.ScalarNode {
		c.Header = header
		return
	}
	if c.N = d.integer(path, n); c.N < 1 && !d.unread(path) {
		d.fail(path, n, "write a number from 1, or unlimited as the limit", "cost is %d", c.N)
	}
}

func (o *DurationOrOff) read(d *decoder, path string, n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && n.Value == "off" {
		*o = Off
		return
	}
	*o = DurationOrOff(d.duration(path, n))
	if *o <= 0 && !d.unread(path) {
		d.fail(path, n, "write a time above 0, or off", "%s is %s", name(path), time.Duration(*o))
	}
}

func (l *Lease) read(d *decoder, path string, n *yaml.Node) {
	text, ok := d.text(path, n)
	if !ok {
		return
	}
	digits, percent := strings.CutSuffix(text, "%")
	v, err := strconv.ParseInt(digits, 10, 64)
	switch {
	case text == "off":
		*l = NoLease
	case err != nil || strconv.FormatInt(v, 10) != digits:
		d.fail(path, n, "write whole percent, such as 5%, or off", "%s is %q, not a percentage", name(path), text)
	case !percent:
		d.fail(path, n, fmt.Sprintf("did you mean %d%%?", v), "%s is %q, a number without a unit", name(path), text)
	case v < 1:
		d.fail(path, n, leaseHint, "%s is %s", name(path), text)
	default:
		*l = Lease(v)
	}
}

const leaseHint = "write 1% to 50%, or off"

func (l *Limit) read(d *decoder, path string, n *yaml.Node) {
	switch n.Kind {
	case yaml.MappingNode:
		var m limitMap
		d.value(path, n, &m)
		*l = Limit{Rate: m.Limit.Rate, List: m.Limit.List, Name: m.Name, Settings: m.Settings}
		if l.Rate == "" && l.List == nil && !d.unread(inField(path, "limit")) {
			d.fail(inField(path, "limit"), n, "write {limit: 100/min, …}", "limit is missing")
		}
	case yaml.SequenceNode:
		l.readList(d, path, n)
	default:
		l.Rate, _ = d.text(path, n)
	}
}

func (l *Limit) readList(d *decoder, path string, n *yaml.Node) {
	if len(n.Content) == 0 {
		d.fail(path, n, "write COUNT/PERIOD, such as 100/min", "%s is an empty list", name(path))
		return
	}
	l.List = sequence[Limit](d, path, n)
	for i := range l.List {
		if l.List[i].List != nil {
			d.fail(inList(path, i), n.Content[i], "write all limits in one list", "a list within a list")
		}
	}
}

// limitMap is a LIMIT with settings.
type limitMap struct {
	Limit    limitValue `yaml:"limit"`
	Name     string     `yaml:"name"`
	Settings `yaml:",inline"`
}

// limitValue is what the settings are about.
type limitValue Limit

func (l *limitValue) read(d *decoder, path string, n *yaml.Node) {
	switch n.Kind {
	case yaml.MappingNode:
		d.fail(path, n, "write the settings beside this limit", "settings within settings")
	case yaml.SequenceNode:
		// The entries' paths are those of a plain list.
		(*Limit)(l).readList(d, outer(path), n)
	default:
		l.Rate, _ = d.text(path, n)
	}
}
