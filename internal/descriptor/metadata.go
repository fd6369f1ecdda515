package descriptor

import (
	"strconv"

	"go.yaml.in/yaml/v4"
)

// maxMetadata bounds the values of one descriptor's metadata: it is sent with
// answers.
const maxMetadata = 1000

// metadata reads a map of anything that JSON has too.
func (l *loader) metadata(n *yaml.Node) map[string]any {
	if n == nil || isNull(n) {
		return nil
	}
	values := 0
	m, _ := l.json(n, 0, &values).(map[string]any)
	switch {
	case values > maxMetadata:
		l.fail(n, "it is sent with answers", "metadata has more than %d values", maxMetadata)
	case resolve(n).Kind != yaml.MappingNode:
		l.fail(n, "write it as name: value", "metadata is %s, not a map", kind(resolve(n)))
	}
	return m
}

// json is a node's value, as encoding/json has it.
func (l *loader) json(n *yaml.Node, depth int, values *int) any {
	n = resolve(n)
	if *values++; *values > maxMetadata || depth > maxDepth {
		*values = maxMetadata + 1
		return nil
	}
	if !l.room(n) {
		return nil
	}
	switch n.Kind {
	case yaml.MappingNode:
		m := make(map[string]any, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			m[resolve(n.Content[i]).Value] = l.json(n.Content[i+1], depth+1, values)
		}
		return m
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i := range n.Content {
			list[i] = l.json(n.Content[i], depth+1, values)
		}
		return list
	}
	return scalar(n)
}

// scalar is a number or a word where it is written as one, else the text.
func scalar(n *yaml.Node) any {
	switch n.Tag {
	case "!!null":
		return nil
	case "!!bool":
		if b, err := strconv.ParseBool(n.Value); err == nil {
			return b
		}
	case "!!int", "!!float":
		if f, err := strconv.ParseFloat(n.Value, 64); err == nil {
			return f
		}
	}
	return n.Value
}
