package policy

import (
	"encoding/binary"
	"slices"
)

// AppendKind appends what the layers take from a request's method, host, path and
// headers to tell which limits it meets: of one caller's requests with the same
// headers, those of one kind have the same checks. Whoever resolves many of them,
// such as a log's, can keep their checks by caller and kind.
func (p *Policy) AppendKind(buf []byte, a *Attributes) []byte {
	r := request{p: p, a: a}
	for _, l := range p.layers {
		buf = l.appendKind(buf, &r)
	}
	return buf
}

func (l *layer) appendKind(buf []byte, r *request) []byte {
	i, _ := l.ruleOf(r)
	buf = binary.AppendVarint(buf, int64(i))
	for _, part := range l.by.parts {
		switch part.kind {
		case "method":
			buf = appendSized(buf, knownMethod(r.a.Method))
		case "host":
			buf = appendSized(buf, r.host())
		}
	}
	return buf
}

// appendSized appends a text so that no two lists of texts meet.
func appendSized(buf []byte, text string) []byte {
	return append(binary.AppendUvarint(buf, uint64(len(text))), text...)
}

// Headers are the canonical names of the headers that decisions depend on, in the
// order of the alphabet.
func (p *Policy) Headers() []string {
	names := []string{p.clients.source.header, p.clients.header}
	for _, l := range p.layers {
		names = l.appendHeaders(names)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

func (l *layer) appendHeaders(names []string) []string {
	for _, h := range l.match.headers {
		names = append(names, h.name)
	}
	for _, part := range l.by.parts {
		names = append(names, part.header)
	}
	for i := range l.rules {
		for _, s := range []*set{&l.rules[i].live, &l.rules[i].candidates} {
			for _, limit := range slices.Concat(s.byPlan...) {
				names = append(names, limit.cost.header)
			}
		}
	}
	return names
}
