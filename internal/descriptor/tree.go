package descriptor

// node is a place in the configuration where descriptors can land.
type node struct {
	rule     *Rule // nil where no limit stands here
	children map[string]*branch
}

// branch is what stands under one key: an exact value beats a pattern, patterns
// go in the order of the file, the key alone comes last.
type branch struct {
	exact    map[string]*node
	patterns []wildcard
	bare     *node
}

type wildcard struct {
	pattern
	node *node
}

// step is the node that an entry leads to; nil for none.
func (n *node) step(e *Entry) *node {
	b := n.children[e.Key]
	if b == nil {
		return nil
	}
	if exact := b.exact[e.Value]; exact != nil {
		return exact
	}
	for i := range b.patterns {
		if b.patterns[i].matches(e.Value) {
			return b.patterns[i].node
		}
	}
	return b.bare
}

// find is the rule where the last entry lands; nil where none does, or none is
// there.
func (n *node) find(entries []Entry) *Rule {
	for i := range entries {
		if n = n.step(&entries[i]); n == nil {
			return nil
		}
	}
	return n.rule
}

// add makes the child for a key and value, "" for the key alone; nil where there
// is one already.
func (n *node) add(key, value string, wild bool) *node {
	if n.children == nil {
		n.children = map[string]*branch{}
	}
	b := n.children[key]
	if b == nil {
		b = &branch{}
		n.children[key] = b
	}
	child := &node{}
	switch {
	case value == "":
		if b.bare != nil {
			return nil
		}
		b.bare = child
	case wild:
		for i := range b.patterns {
			if b.patterns[i].text == value {
				return nil
			}
		}
		b.patterns = append(b.patterns, wildcard{parsePattern(value), child})
	default:
		if b.exact[value] != nil {
			return nil
		}
		if b.exact == nil {
			b.exact = map[string]*node{}
		}
		b.exact[value] = child
	}
	return child
}
