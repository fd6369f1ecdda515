// Package strictyaml reads a YAML file that a person wrote, as nodes that know
// where they stand, and says what is wrong with one in words for somebody who
// knows YAML only by sight.
//
//	root, problem := strictyaml.Document("weir.yaml", src)
//	if problem != nil {
//		fmt.Println(problem) // weir.yaml:3:1: a tab in the indentation: YAML indents with spaces
//	}
//
// # Errors
//
// A *[Problem] is the first thing that keeps the text from being one document of
// YAML.
package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// Document reads the one YAML document of a file as nodes; nil and no problem
// where there is none.
func Document(file string, src []byte) (*yaml.Node, *Problem) {
	root, p := document(src)
	if p != nil {
		p.File = file
	}
	return root, p
}

func document(src []byte) (*yaml.Node, *Problem) {
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	if p := badText(src); p != nil {
		return nil, p
	}
	var documents []yaml.Node
	if err := yaml.Load(src, &documents, yaml.WithAllDocuments()); err != nil {
		return nil, syntaxProblem(src, err)
	}
	switch {
	case len(documents) == 0 || len(documents[0].Content) == 0:
		return nil, nil
	case len(documents) > 1:
		second := &documents[1]
		return nil, &Problem{Line: second.Line, Col: second.Column,
			Message: "a second document begins here", Hint: "a configuration is one document: remove the --- or put it in a file of its own"}
	}
	return documents[0].Content[0], nil
}

// badText finds bytes that are no text. The YAML reader finds them too, but
// does not say where.
func badText(src []byte) *Problem {
	line, col := 1, 1
	for len(src) > 0 {
		r, size := utf8.DecodeRune(src)
		at := &Problem{Line: line, Col: col}
		switch {
		case r == utf8.RuneError && size == 1:
			at.Message, at.Hint = fmt.Sprintf("byte 0x%02x is not UTF-8", src[0]), "save the file as UTF-8"
			return at
		case r < ' ' && r != '\n' && r != '\r' && r != '\t', r == 0x7f, 0x80 <= r && r < 0xa0 && r != 0x85, r == 0xfffe, r == 0xffff:
			at.Message = fmt.Sprintf("control character %U", r)
			return at
		}
		col++
		if r == '\n' {
			line, col = line+1, 1
		}
		src = src[size:]
	}
	return nil
}

// syntaxProblem words what the YAML reader found, for someone who knows YAML only
// by sight.
func syntaxProblem(src []byte, err error) *Problem {
	e := &Problem{Line: 1, Col: 1, Message: "not YAML: " + err.Error()}
	var load *yaml.LoadError
	if !errors.As(err, &load) || load.Mark.Line == 0 {
		return e
	}
	e.Line, e.Col = inside(src, load.Mark.Line, load.Mark.Column)
	e.Message = "not YAML: " + load.Message
	if tab, ok := tabbed(src, e.Line); ok {
		e.Col, e.Message, e.Hint = tab, "a tab in the indentation", "YAML indents with spaces"
		return e
	}
	begun := load.ContextMark
	for _, known := range syntaxWords {
		if !strings.Contains(load.Message, known.message) || !strings.Contains(load.ContextMsg, known.context) {
			continue
		}
		e.Message, e.Hint = known.say, known.hint
		if known.atStart && begun.Line > 0 {
			e.Line, e.Col = begun.Line, begun.Column
		}
		break
	}
	return e
}

// syntaxWords are the mistakes that people make. atStart reports them where the
// thing begins: where the reader noticed may be the end of the file.
var syntaxWords = []struct {
	message, context string
	atStart          bool
	say, hint        string
}{
	{"did not find expected ',' or ']'", "", true, "this list is not closed", "it needs a ] and commas between its entries; a text with a brace or a bracket in it needs quotes"},
	{"did not find expected ',' or '}'", "", true, "this map is not closed", "it needs a } and commas between its entries; a text with a brace or a bracket in it needs quotes"},
	{"unexpected end of stream", "quoted", true, "this quoted text is not closed", "it needs the same quote at its end"},
	{"could not find expected ':'", "", true, "a line without a colon", "write it as name: value"},
	{"did not find expected node content", "flow", false, "the file ends within a list or a map", "close it with ] or }"},
	{"mapping values are not allowed", "", false, "this colon has no place here", "put text that holds a colon in quotes; or the line is indented too far, or the one above has no colon"},
	{"did not find expected key", "block mapping", false, "this line does not fit the indentation of those above", "fields of one map begin in one column"},
	{"did not find expected '-' indicator", "", false, "this line does not fit the indentation of those above", "fields of one map begin in one column"},
	{"cannot start any token", "", false, "text that begins with this character", "put it in quotes"},
	{"exceeded max depth", "", false, "nested too deep", "no configuration is"},
}

// inside keeps a position within the file: the reader notices what is missing
// behind its end.
func inside(src []byte, line, col int) (int, int) {
	lines := bytes.Split(bytes.TrimRight(src, "\n"), []byte("\n"))
	if line <= len(lines) {
		return line, col
	}
	return len(lines), utf8.RuneCount(lines[len(lines)-1]) + 1
}

// tabbed finds a tab in the indentation of a line, counting columns from 1.
func tabbed(src []byte, line int) (col int, ok bool) {
	lines := bytes.Split(src, []byte("\n"))
	if line > len(lines) {
		return 0, false
	}
	text := lines[line-1]
	indent := text[:len(text)-len(bytes.TrimLeft(text, " \t"))]
	tab := bytes.IndexByte(indent, '\t')
	return tab + 1, tab >= 0
}
