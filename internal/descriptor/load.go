package descriptor

import (
	"cmp"
	"slices"

	"go.yaml.in/yaml/v4"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/strictyaml"
)

// File is a file of the configuration.
type File struct {
	Name string // for messages
	Text []byte
}

// maxNodes bounds what a configuration may come to: a few aliases can write out
// more than any memory holds.
const maxNodes = 1 << 18

// maxDepth bounds how deep descriptors are nested; an alias can be within itself.
const maxDepth = 64

// Load reads and compiles a configuration, strictly: what is unknown, misspelt,
// twice or out of range is an error, never left out. Each file holds a domain, and
// no two the same. Warnings are about what is valid and was probably not meant.
// The error is strictyaml.Problems.
func Load(files []File) (*Set, []*strictyaml.Problem, error) {
	l := loader{set: &Set{domains: map[string]*domain{}}, groups: map[weir.Group]*weir.Group{}, first: map[string]*mark{}}
	for i := range files {
		l.load(&files[i])
	}
	if len(l.problems) > 0 {
		slices.SortStableFunc(l.problems, byPlace)
		return nil, nil, l.problems
	}
	slices.SortStableFunc(l.warnings, byPlace)
	return l.set, l.warnings, nil
}

func byPlace(a, b *strictyaml.Problem) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
}

// loader reads files, and goes on after a mistake: a person wants all of them at
// once.
type loader struct {
	reader
	set    *Set
	groups map[weir.Group]*weir.Group
	first  map[string]*mark // where each domain was met first

	layer        string                // of the file at hand
	names        []string              // of its limits
	replaced     map[string]*yaml.Node // names of limits that others replace, and where
	nodes, depth int
}

type mark struct {
	file string
	line int
}

func (l *loader) load(f *File) {
	l.file, l.warned, l.names, l.replaced = f.Name, false, nil, map[string]*yaml.Node{}
	root, problem := strictyaml.Document(f.Name, f.Text)
	switch {
	case problem != nil:
		l.problems = append(l.problems, problem)
		return
	case root == nil:
		l.problems = append(l.problems, &strictyaml.Problem{File: f.Name, Line: 1, Col: 1, Message: "the file is empty", Hint: "it needs a domain and descriptors"})
		return
	}
	d := &domain{}
	var name string
	var at, descriptors *yaml.Node
	l.mapping(root, "the file",
		field{"domain", func(n *yaml.Node) { name, at = l.text(n, "domain"), n }},
		field{"descriptors", func(n *yaml.Node) { descriptors = n }})
	if at == nil {
		l.fail(root, "write domain: NAME, as Envoy's configuration has it", "domain is missing")
	}
	d.layer = layerPrefix + name
	l.layer = d.layer
	l.children(&d.root, "", nil, descriptors)
	l.warnReplaced()
	if name == "" {
		return
	}
	if before := l.first[name]; before != nil {
		l.fail(at, "put its descriptors into one file", "the domain %q is in %s:%d too", name, before.file, before.line)
		return
	}
	l.first[name] = &mark{f.Name, at.Line}
	l.set.domains[name] = d
}

// warnReplaced: a name that no limit of the domain has was meant for one.
func (l *loader) warnReplaced() {
	for name, n := range l.replaced {
		if slices.Contains(l.names, name) {
			continue
		}
		hint := "give the limit that is meant this name"
		if near := weir.Nearest(name, l.names); near != "" {
			hint = "did you mean " + near + "?"
		}
		l.warnings = append(l.warnings, l.problem(n, hint, "no limit here is named %q, so this replaces nothing", name))
	}
}
