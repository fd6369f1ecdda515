package policy

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"time"

	"go.yaml.in/yaml/v4"
)

// Canonical is the configuration as YAML in its one spelling: fields in the
// order of the types, texts as they print, defaults of settings left out.
// [Parse] reads it back as the same configuration. It holds the secrets that the
// configuration holds: see [Config.Redacted].
func (c *Config) Canonical() []byte {
	text, err := yaml.Dump(structNode(reflect.ValueOf(c).Elem()), yaml.WithLineWidth(-1))
	if err != nil {
		// Nodes of texts can always be written.
		panic("policy: canonical: " + err.Error())
	}
	return text
}

// JSON is [Config.Canonical] as a JSON object.
func (c *Config) JSON() ([]byte, error) {
	var values map[string]any
	if err := yaml.Unmarshal(c.Canonical(), &values); err != nil {
		return nil, fmt.Errorf("policy: as JSON: %w", err)
	}
	return json.Marshal(values)
}

// writer is the other direction of [reader].
type writer interface{ node() *yaml.Node }

// structNode writes a struct's fields that are not left at their default.
func structNode(v reflect.Value) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	for _, f := range fieldsOf(v.Type()) {
		value := v.FieldByIndex(f.index)
		node := valueNode(value)
		// What is embedded is a limit's setting: its default is what is around it.
		setting := len(f.index) > 1
		if node != nil && (setting || f.fallback == "" || node.Value != f.fallback) {
			n.Content = append(n.Content, textNode(f.name), node)
		}
	}
	return n
}

// valueNode writes a value; nil for what is not given.
func valueNode(v reflect.Value) *yaml.Node {
	if v.IsZero() {
		return nil
	}
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	switch x := v.Interface().(type) {
	case writer:
		return x.node()
	case string:
		return textNode(x)
	case int64:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.FormatInt(x, 10)}
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(x)}
	case time.Duration:
		return textNode(x.String())
	case []Layer:
		n := &yaml.Node{Kind: yaml.SequenceNode}
		for i := range x {
			n.Content = append(n.Content, structNode(reflect.ValueOf(x[i])))
		}
		return n
	}
	if n := structNode(v); len(n.Content) > 0 {
		return n
	}
	return nil // all at their defaults
}

func textNode(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
}

func (o DurationOrOff) node() *yaml.Node {
	if o < 0 {
		return textNode("off")
	}
	return textNode(time.Duration(o).String())
}

func (l Lease) node() *yaml.Node {
	if l < 0 {
		return textNode("off")
	}
	return textNode(strconv.FormatInt(int64(l), 10) + "%")
}

func (l List) node() *yaml.Node {
	if len(l) == 1 {
		return textNode(l[0])
	}
	n := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	for _, text := range l {
		n.Content = append(n.Content, textNode(text))
	}
	return n
}

func (m Map[V]) node() *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	for i := range m {
		n.Content = append(n.Content, textNode(m[i].Key), valueNode(reflect.ValueOf(&m[i].Value)))
	}
	return n
}

func (c Cost) node() *yaml.Node {
	if c.Header != "" {
		return textNode(headerPrefix + c.Header)
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.FormatInt(c.N, 10)}
}

// node writes a limit in its shortest form.
func (l Limit) node() *yaml.Node {
	value := textNode(l.Rate)
	if l.List != nil {
		value = &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
		for _, one := range l.List {
			value.Content = append(value.Content, one.node())
		}
	}
	settings := structNode(reflect.ValueOf(limitMap{Name: l.Name, Settings: l.Settings}))
	if len(settings.Content) == 0 {
		return value
	}
	settings.Style = yaml.FlowStyle
	settings.Content = append([]*yaml.Node{textNode("limit"), value}, settings.Content...)
	return settings
}
