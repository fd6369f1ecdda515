package strictyaml

import (
	"fmt"
	"strings"
)

// Problem is something that is wrong in a file.
type Problem struct {
	File      string
	Line, Col int // from 1, Col in characters
	Message   string
	Hint      string // what was probably meant; "" where nothing helps
}

// Error is FILE:LINE:COL: what is wrong: what was probably meant.
func (p *Problem) Error() string {
	text := fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Col, p.Message)
	if p.Hint != "" {
		text += ": " + p.Hint
	}
	return text
}

// Problems are all that is wrong, in the order in which a person mends it.
type Problems []*Problem

// Error is one line for each.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, one := range p {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}
