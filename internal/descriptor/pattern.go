package descriptor

import "strings"

// pattern is a value with wildcards: "*" is any text, also none.
type pattern struct {
	text           string
	prefix, suffix string
	middle         []string // in this order between the two
}

func parsePattern(text string) pattern {
	parts := strings.Split(text, "*")
	last := len(parts) - 1
	return pattern{text, parts[0], parts[last], parts[1:last]}
}

func (p *pattern) matches(value string) bool {
	if len(value) < len(p.prefix)+len(p.suffix) || !strings.HasPrefix(value, p.prefix) || !strings.HasSuffix(value, p.suffix) {
		return false
	}
	rest := value[len(p.prefix) : len(value)-len(p.suffix)]
	for _, part := range p.middle {
		at := strings.Index(rest, part)
		if at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	return true
}
