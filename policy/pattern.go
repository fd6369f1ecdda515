package policy

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
)

// pattern is a path pattern in the syntax of net/http.ServeMux:
//
//	[METHOD ][HOST]/[PATH]
//
// "/a/" is every path below /a, "/a/{$}" is "/a/" alone, "{x}" is any one
// segment, "{x...}" the rest.
type pattern struct {
	text     string // in canonical form
	method   string // "" is any
	host     string // lower case; "" is any
	segments []segment
}

// segment is one step of a pattern. A literal "/" is a final slash.
type segment struct {
	literal string // unescaped
	wild    wildness
}

type wildness uint8

const (
	literally wildness = iota
	one                // {x}
	rest               // {x...} or a final slash
)

// patternError says what is wrong with a pattern, and what was probably meant.
type patternError struct{ message, hint string }

// parsePattern accepts what ServeMux accepts, except patterns that could never
// match because paths are cleaned first.
func parsePattern(text string) (*pattern, *patternError) {
	p := &pattern{}
	method, where, spaced := strings.Cut(strings.ReplaceAll(text, "\t", " "), " ")
	if spaced {
		p.method, where = method, strings.TrimLeft(where, " ")
	} else {
		where = method
	}
	slash := strings.IndexByte(where, '/')
	if problem := p.problem(where, slash); problem != nil {
		return nil, problem
	}
	p.host = strings.ToLower(where[:slash])
	path := where[slash:]
	if problem := p.parsePath(path); problem != nil {
		return nil, problem
	}
	p.text = p.host + path
	if p.method != "" {
		p.text = p.method + " " + p.text
	}
	return p, nil
}

// problem finds what is wrong with the method, the host, and the path's shape.
func (p *pattern) problem(where string, slash int) *patternError {
	upper := strings.ToUpper(p.method)
	switch {
	case where == "":
		return &patternError{"is empty", "write a path such as /search"}
	case strings.Contains(p.method, "/"):
		return &patternError{"has a space in its path", "did you mean " + p.method + "%20" + where + "?"}
	case p.method != upper:
		return &patternError{fmt.Sprintf("has a method %q that is not in upper case", p.method), "did you mean " + upper + "?"}
	case p.method != "" && !isToken(p.method):
		return &patternError{fmt.Sprintf("has a method %q that is not one", p.method), "write it as POST /path"}
	case slash < 0:
		return &patternError{"has no slash", "did you mean /" + where + "?"}
	case strings.Contains(where[:slash], "{"):
		return &patternError{"has a wildcard in its host", "did you mean /" + where + "? Hosts are matched by match: {host: …}"}
	case strings.Contains(where[:slash], ":"):
		return &patternError{"has a port", "ports are not matched: did you mean " + normalHost(where[:slash]) + where[slash:] + "?"}
	case strings.ContainsAny(where, "?#"):
		return &patternError{"has a query", "patterns match paths alone"}
	}
	if clean := normalPath(where[slash:]); clean != where[slash:] {
		return &patternError{"is not clean, and requests' paths are cleaned first", "did you mean " + where[:slash] + clean + "?"}
	}
	return nil
}

func (p *pattern) parsePath(path string) *patternError {
	names := map[string]bool{}
	for path != "" {
		var text string
		text, path, _ = cutSegment(path)
		if text == "" { // a final slash
			p.segments = append(p.segments, segment{wild: rest})
			continue
		}
		s, wildcard, problem := parseSegment(text, path == "")
		switch {
		case problem != nil:
			return problem
		case wildcard != "" && names[wildcard]:
			return &patternError{fmt.Sprintf("has two wildcards {%s}", wildcard), "give each a name of its own"}
		}
		names[wildcard] = true
		p.segments = append(p.segments, s)
	}
	return nil
}

// cutSegment takes the first segment off a path that begins with a slash.
func cutSegment(path string) (text, after string, last bool) {
	if i := strings.IndexByte(path[1:], '/'); i >= 0 {
		return path[1 : 1+i], path[1+i:], false
	}
	return path[1:], "", true
}

// parseSegment reads one segment; wildcard is the name of a wildcard in it.
func parseSegment(text string, last bool) (s segment, wildcard string, problem *patternError) {
	brace := strings.IndexByte(text, '{')
	if brace < 0 {
		return segment{literal: unescape(text)}, "", nil
	}
	if brace > 0 || text[len(text)-1] != '}' {
		return s, "", &patternError{fmt.Sprintf("has a wildcard inside the segment %q", text), "a wildcard is a whole segment: /users/{id}/orders"}
	}
	wildcard = text[1 : len(text)-1]
	if wildcard == "$" {
		s, wildcard = segment{literal: "/"}, ""
	} else if before, many := strings.CutSuffix(wildcard, "..."); many {
		s, wildcard = segment{wild: rest}, before
	} else {
		s, last = segment{wild: one}, true
	}
	switch {
	case !last:
		return s, "", &patternError{fmt.Sprintf("has %s before its end", text), "only {name} can stand there"}
	case s.literal == "" && !isIdentifier(wildcard):
		return s, "", &patternError{fmt.Sprintf("has a wildcard %s whose name is not a word", text), "write it as {id}"}
	}
	return s, wildcard, nil
}

func isIdentifier(name string) bool {
	for i, c := range name {
		if !unicode.IsLetter(c) && c != '_' && (i == 0 || !unicode.IsDigit(c)) {
			return false
		}
	}
	return name != ""
}

// isToken: RFC 9110, section 5.6.2.
func isToken(text string) bool {
	for i := range len(text) {
		if c := text[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return text != ""
}

// unescape undoes percent encoding; what is not encoded rightly stays as it is.
func unescape(text string) string {
	if strings.IndexByte(text, '%') < 0 {
		return text
	}
	plain, err := url.PathUnescape(text)
	if err != nil {
		return text
	}
	return plain
}
