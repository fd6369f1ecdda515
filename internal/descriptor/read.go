package descriptor

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/strictyaml"
)

// reader reads nodes of a file, strictly.
type reader struct {
	file     string
	problems strictyaml.Problems // the first of them
	failed   int                 // how many there are
	warnings []*strictyaml.Problem
	warned   bool // of the file, of fields without effect
}

// field is what a mapping may have under a name, and who reads it.
type field struct {
	name string
	read func(*yaml.Node)
}

// maxProblems bounds what is said: an alias repeats its mistakes.
const maxProblems = 100

func (r *reader) fail(n *yaml.Node, hint, format string, args ...any) {
	r.failed++
	if r.failed <= maxProblems {
		r.problems = append(r.problems, r.problem(n, hint, format, args...))
	}
}

func (r *reader) problem(n *yaml.Node, hint, format string, args ...any) *strictyaml.Problem {
	return &strictyaml.Problem{File: r.file, Line: n.Line, Col: n.Column, Message: fmt.Sprintf(format, args...), Hint: hint}
}

// mapping reads a map that has no other fields than these, each once. What comes
// by a merge key stands behind what is written out.
func (r *reader) mapping(n *yaml.Node, what string, known ...field) {
	n = resolve(n)
	if n.Kind != yaml.MappingNode {
		r.fail(n, "write it as name: value", "%s is %s, not a map", what, kind(n))
		return
	}
	written := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := resolve(n.Content[i]), n.Content[i+1]
		if key.Tag == "!!merge" {
			r.fail(key, "write the fields out, or an alias in place of the whole value", "merge keys are not supported")
			continue
		}
		if line, twice := written[key.Value]; twice {
			r.fail(key, "keep one of them", "%s is in line %d too", key.Value, line)
			continue
		}
		written[key.Value] = key.Line
		r.known(key, value, what, known)
	}
}

func (r *reader) known(key, value *yaml.Node, what string, known []field) {
	names := make([]string, len(known))
	for i, f := range known {
		if f.name == key.Value && key.Kind == yaml.ScalarNode {
			f.read(value)
			return
		}
		names[i] = f.name
	}
	hint := "it may have " + strings.Join(names, ", ")
	if near := weir.Nearest(key.Value, names); near != "" {
		hint = "did you mean " + near + "?"
	} else if place := places[key.Value]; place != "" {
		hint = "it belongs " + place
	}
	r.fail(key, hint, "unknown key %q in %s", key.Value, what)
}

// places say where a known field belongs that stands elsewhere: the predecessor
// passes over those, and the limit is then not what was meant.
var places = map[string]string{
	"shadow_mode":       "beside rate_limit",
	"quota_mode":        "beside rate_limit",
	"detailed_metric":   "beside rate_limit",
	"value_to_metric":   "beside rate_limit",
	"share_threshold":   "beside rate_limit",
	"metadata":          "beside rate_limit",
	"unit":              "within rate_limit",
	"requests_per_unit": "within rate_limit",
	"unlimited":         "within rate_limit",
	"replaces":          "within rate_limit",
	"name":              "within rate_limit",
	"algorithm":         "within rate_limit",
	"burst":             "within rate_limit",
	"on_error":          "within rate_limit",
	"domain":            "at the top of the file",
}

// list reads a list; none at all is as good as an empty one.
func (r *reader) list(n *yaml.Node, what string, each func(*yaml.Node)) {
	if n == nil || isNull(n) {
		return
	}
	n = resolve(n)
	if n.Kind != yaml.SequenceNode {
		r.fail(n, "begin each entry with a dash", "%s is %s, not a list", what, kind(n))
		return
	}
	for _, entry := range n.Content {
		each(entry)
	}
}

// text is a scalar as it is written, and not empty.
func (r *reader) text(n *yaml.Node, what string) string {
	n = resolve(n)
	switch {
	case n.Kind != yaml.ScalarNode:
		r.fail(n, "", "%s is %s, not a text", what, kind(n))
	case isNull(n) || n.Value == "":
		r.fail(n, "fill it in or remove it", "%s is empty", what)
	default:
		return n.Value
	}
	return ""
}

// bools are the spellings of YAML 1.1, which the predecessor reads.
var bools = map[string]bool{"true": true, "yes": true, "on": true, "false": false, "no": false, "off": false}

func (r *reader) boolean(n *yaml.Node, what string) bool {
	text := r.text(n, what)
	value, ok := bools[strings.ToLower(text)]
	if !ok && text != "" {
		r.fail(resolve(n), "write true or false", "%s is %q", what, text)
	}
	return value
}

// count reads a whole number from 0 to most.
func (r *reader) count(n *yaml.Node, what string, least, most int64) int64 {
	text := r.text(n, what)
	value, err := strconv.ParseInt(text, 0, 64)
	if text != "" && (err != nil || value < least || value > most) {
		r.fail(resolve(n), fmt.Sprintf("write a whole number from %d to %d", least, most), "%s is %q", what, text)
		return -1
	}
	return value
}

// word reads one of several words.
func (r *reader) word(n *yaml.Node, what string, words ...string) string {
	text := r.text(n, what)
	for _, word := range words {
		if text == word {
			return word
		}
	}
	if text == "" {
		return ""
	}
	hint := "write " + strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
	if near := weir.Nearest(text, words); near != "" {
		hint = "did you mean " + near + "?"
	}
	r.fail(resolve(n), hint, "%s is %q", what, text)
	return ""
}

// resolve follows an alias; what it stands for has a place of its own, which is
// where its mistakes are.
func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool {
	n = resolve(n)
	return n.Kind == yaml.ScalarNode && n.Tag == "!!null"
}

func kind(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a map"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case isNull(n):
		return "empty"
	}
	return "a text"
}
