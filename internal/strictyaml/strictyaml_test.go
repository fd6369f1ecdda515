package strictyaml_test

import (
	"strings"
	"testing"

	"github.com/weirhq/weir/internal/strictyaml"
)

// What is no document is said with its place, in words, and what helps.
func TestProblems(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a tab", "a:\n\tb: 1\n", "f.yaml:2:1: a tab in the indentation: YAML indents with spaces"},
		{"no UTF-8", "a: é\xff\n", "f.yaml:1:5: byte 0xff is not UTF-8: save the file as UTF-8"},
		{"UTF-16", "\xff\xfea\x00", "f.yaml:1:1: byte 0xff is not UTF-8: save the file as UTF-8"},
		{"a control character", "a: 1\nb: \x00\n", "f.yaml:2:4: control character U+0000"},
		{"an open list", "a: [1, 2\nb: 3\n", "f.yaml:1:4: this list is not closed: it needs a ] and commas between its entries; a text with a brace or a bracket in it needs quotes"},
		{"an open map", "a: {b: 1\nc: 2\n", "f.yaml:1:4: this map is not closed: it needs a } and commas between its entries; a text with a brace or a bracket in it needs quotes"},
		{"an open quote", "a: 'b\nc: d\n", "f.yaml:1:4: this quoted text is not closed: it needs the same quote at its end"},
		{"the end within a list", "a: [", "f.yaml:1:5: the file ends within a list or a map: close it with ] or }"},
		{"a colon too many", "a: b: c\n", "f.yaml:1:5: this colon has no place here: put text that holds a colon in quotes; or the line is indented too far, or the one above has no colon"},
		{"no colon", "a: 1\nb\nc: 2\n", "f.yaml:2:1: a line without a colon: write it as name: value"},
		{"indented otherwise", "a:\n    b: 1\n  c: 2\n", "f.yaml:3:3: this line does not fit the indentation of those above: fields of one map begin in one column"},
		{"a character that begins nothing", "a: @b\n", "f.yaml:1:4: text that begins with this character: put it in quotes"},
		{"two documents", "a: 1\n---\nb: 2\n", "f.yaml:2:1: a second document begins here: a configuration is one document: remove the --- or put it in a file of its own"},
		{"nested without end", strings.Repeat("[", 100_000), "f.yaml:1:10001: nested too deep: no configuration is"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root, problem := strictyaml.Document("f.yaml", []byte(c.text))
			if problem == nil {
				t.Fatalf("accepted: %v", root)
			}
			if problem.Error() != c.want {
				t.Errorf("got  %v\nwant %s", problem, c.want)
			}
		})
	}
}

// A file without a document is no mistake here, and has no root.
func TestNothing(t *testing.T) {
	for _, text := range []string{"", "\n\n", "# a comment\n", "\ufeff", "---\n...\n"} {
		root, problem := strictyaml.Document("f.yaml", []byte(text))
		if problem != nil || root != nil && root.Tag != "!!null" {
			t.Errorf("%q: %v %v", text, root, problem)
		}
	}
}

// Nodes know where they stand, in characters, also behind a byte order mark.
func TestPlaces(t *testing.T) {
	root, problem := strictyaml.Document("f.yaml", []byte("\ufeffä: 1\nbb: {c: é, d: 2}\n"))
	if problem != nil {
		t.Fatal(problem)
	}
	inner := root.Content[3]
	if n := root.Content[0]; n.Line != 1 || n.Column != 1 || n.Value != "ä" {
		t.Errorf("%+v", n)
	}
	if n := inner.Content[2]; n.Line != 2 || n.Column != 12 || n.Value != "d" {
		t.Errorf("%+v", n)
	}
}

func TestProblemsAreOneLineEach(t *testing.T) {
	all := strictyaml.Problems{
		{File: "a.yaml", Line: 1, Col: 2, Message: "this", Hint: "that"},
		{File: "b.yaml", Line: 3, Col: 4, Message: "this"},
	}
	if got, want := all.Error(), "a.yaml:1:2: this: that\nb.yaml:3:4: this"; got != want {
		t.Errorf("%s", got)
	}
}

// Whatever a file holds, what is wrong stands within it.
func FuzzDocument(f *testing.F) {
	for _, text := range []string{"a: {b: [1, 'c']}\n", "a: &x [*x]\n", "\ufeffa: é\n", "a: |\n  b\n c", "? [a]\n: b\n", "%YAML 1.1\n---\na: 1\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, problem := strictyaml.Document("f.yaml", []byte(text))
		if problem == nil {
			return
		}
		if strings.ContainsAny(text, "\r\u0085\u2028\u2029") {
			return // ends of lines to YAML, and not to every editor
		}
		lines := strings.Split(text, "\n")
		if problem.Line < 1 || problem.Line > len(lines) || problem.Col < 1 || problem.Col > len(lines[problem.Line-1])+1 {
			t.Errorf("%v stands outside of the file", problem)
		}
	})
}
