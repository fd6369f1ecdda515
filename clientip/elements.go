package clientip

import "strings"

// elements reads a comma-separated header from its right end, over all of its
// lines, within [MaxHops] and [MaxBytes].
//
// From the right, because only the right end was written by a proxy we trust:
// whatever a client sent stands to the left of it and, so, cannot change how
// it is read. Read from the left, one quote that a client leaves open would
// swallow the element that the proxy added.
type elements struct {
	lines  []string
	quoted bool // commas inside quoted strings separate nothing

	line  string // what is left of the line being read
	open  bool   // line still ends in an element
	hops  int    // elements read
	bytes int    // their length with separators
}

// previous gives the next element to the left; more is false where none is
// left. Past a bound it gives an empty element, which is junk in every header.
func (e *elements) previous() (element string, more bool) {
	if !e.open {
		if len(e.lines) == 0 {
			return "", false
		}
		last := len(e.lines) - 1
		e.line, e.lines, e.open = e.lines[last], e.lines[:last], true
	}
	// One byte more than the element may take: room for its separator.
	budget := MaxBytes - e.bytes
	window := e.line[max(0, len(e.line)-budget-1):]
	comma := lastComma(window, e.quoted)
	element = window[comma+1:]
	e.hops++
	e.bytes += len(element) + 1
	if e.hops > MaxHops || len(element) > budget {
		return "", true
	}
	e.open = comma >= 0
	e.line = e.line[:max(0, len(e.line)-len(element)-1)]
	return element, true
}

// lastComma is the index of the separator before the last element, -1 if it is
// the only one.
func lastComma(line string, quoted bool) int {
	if !quoted {
		return strings.LastIndexByte(line, ',')
	}
	inside := false
	for i := len(line) - 1; i >= 0; i-- {
		switch {
		case line[i] == '"':
			// Met from the right, a quote opens a string unless a backslash
			// makes it text: "=" stands before an opening one, so there is no
			// run of backslashes to count. What is malformed and cut wrongly
			// is still malformed.
			inside = !inside || i > 0 && line[i-1] == '\\'
		case line[i] == ',' && !inside:
			return i
		}
	}
	return -1
}
