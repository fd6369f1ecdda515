package policy

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
)

// decoder reads nodes into the types of config.go, strictly, and goes on after a
// mistake: a person wants all of them at once.
type decoder struct {
	source
	errors []ConfigError
}

// reader is a type that has several ways of being written.
type reader interface {
	read(d *decoder, path string, n *yaml.Node)
}

// fail reports that a field could not be read.
func (d *decoder) fail(path string, n *yaml.Node, hint, format string, args ...any) {
	d.bad[path] = true
	d.report(path, n, hint, format, args...)
}

// report reports a mistake at a node.
func (d *decoder) report(path string, n *yaml.Node, hint, format string, args ...any) {
	d.errors = append(d.errors, ConfigError{File: d.file, Line: n.Line, Col: n.Column, Path: path, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// value reads a node into what into points to.
func (d *decoder) value(path string, n *yaml.Node, into any) {
	d.marks[path] = mark{n.Line, n.Column}
	if !d.plain(path, n) {
		return
	}
	switch into := into.(type) {
	case reader:
		into.read(d, path, n)
	case *string:
		*into, _ = d.text(path, n)
	case *int64:
		*into = d.integer(path, n)
	case *bool:
		*into = d.boolean(path, n)
	case *time.Duration:
		*into = d.duration(path, n)
	case *[]Layer:
		*into = sequence[Layer](d, path, n)
	default:
		d.fields(path, n, reflect.ValueOf(into).Elem())
	}
}

// plain refuses what a reader of the file would have to look up elsewhere, and
// what changes a value's type behind its back.
func (d *decoder) plain(path string, n *yaml.Node) bool {
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		d.fail(path, n, "write the value out; plans share limits between layers", "anchors and aliases are not supported")
	case n.Style&yaml.TaggedStyle != 0:
		d.fail(path, n, "remove the tag", "the tag %s is not supported", n.Tag)
	default:
		return true
	}
	return false
}

// fields reads a mapping into a struct.
func (d *decoder) fields(path string, n *yaml.Node, into reflect.Value) {
	known := fieldsOf(into.Type())
	d.mapping(path, n, func(key, value *yaml.Node) {
		at := inField(path, key.Value)
		i := known.index(key.Value)
		if i < 0 {
			near, hint := known.hint(key.Value)
			if near != "" { // it is there, in other letters
				d.bad[inField(path, near)] = true
			}
			d.fail(at, key, hint, "unknown field %q", key.Value)
			return
		}
		target := into.FieldByIndex(known[i].index)
		if target.Kind() == reflect.Pointer {
			target.Set(reflect.New(target.Type().Elem()))
			target = target.Elem()
		}
		d.value(at, value, target.Addr().Interface())
		if message, hint := known[i].wrong(target, true); message != "" && !d.unread(at) {
			d.fail(at, value, hint, "%s", message)
		}
	})
}

// mapping calls each for every entry of a mapping that has a usable key.
func (d *decoder) mapping(path string, n *yaml.Node, each func(key, value *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		d.fail(path, n, "write it as name: value", "%s is %s, not a map", name(path), kind(n))
		return
	}
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch line, twice := lines[key.Value]; {
		case key.Tag == "!!merge":
			d.fail(inField(path, "<<"), key, "write the fields out; plans share limits between layers", "merge keys are not supported")
		case key.Kind != yaml.ScalarNode:
			d.report(path, key, "a name is one word", "a name is %s", kind(key))
		case twice:
			// Not the key: it may be a credential.
			d.report(path, key, "keep one of them", "the same name as in line %d", line)
		default:
			if d.plain(path, key) {
				each(key, value)
			}
		}
		lines[key.Value] = key.Line
	}
}

// sequence reads a list of maps.
func sequence[V any](d *decoder, path string, n *yaml.Node) []V {
	if n.Kind != yaml.SequenceNode {
		d.fail(path, n, "begin each entry with a dash", "%s is %s, not a list", name(path), kind(n))
		return nil
	}
	all := make([]V, len(n.Content))
	for i, entry := range n.Content {
		d.value(inList(path, i), entry, &all[i])
	}
	return all
}

// text is a scalar as it is written: an API key of digits is still a text.
func (d *decoder) text(path string, n *yaml.Node) (string, bool) {
	switch {
	case n.Kind != yaml.ScalarNode:
		d.fail(path, n, "", "%s is %s, not a text", name(path), kind(n))
	case n.Tag == "!!null" || n.Value == "":
		d.fail(path, n, "fill it in or remove it", "%s is empty", name(path))
	default:
		return n.Value, true
	}
	return "", false
}

func (d *decoder) integer(path string, n *yaml.Node) int64 {
	text, ok := d.text(path, n)
	if !ok {
		return 0
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || strconv.FormatInt(v, 10) != text {
		d.fail(path, n, "write it with digits alone, such as 1000", "%s is %q, not a whole number", name(path), text)
		return 0
	}
	return v
}

func (d *decoder) boolean(path string, n *yaml.Node) bool {
	text, ok := d.text(path, n)
	if ok && text != "true" && text != "false" {
		d.fail(path, n, "write true or false", "%s is %q", name(path), text)
	}
	return text == "true"
}

func (d *decoder) duration(path string, n *yaml.Node) time.Duration {
	text, ok := d.text(path, n)
	if !ok {
		return 0
	}
	v, err := time.ParseDuration(text)
	if _, number := strconv.ParseFloat(text, 64); number == nil {
		d.fail(path, n, fmt.Sprintf("did you mean %sms?", text), "%s is %q, a number without a unit", name(path), text)
		return 0
	}
	if err != nil {
		d.fail(path, n, "write it as 20ms or 1m30s", "%s is %q, not a duration", name(path), text)
	}
	return v
}

// name is the last step of a path, for messages.
func name(path string) string {
	if strings.HasSuffix(path, "]") {
		return "this entry"
	}
	if path = path[strings.LastIndexByte(path, '.')+1:]; path == "" {
		return "the configuration"
	}
	return path
}

// kind says what a node is. It repeats no text: that may be a credential.
func kind(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a map"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	if n.Tag == "!!null" {
		return "empty"
	}
	return "a text"
}
