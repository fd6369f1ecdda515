package algorithm_test

import (
	"os"
	"strings"
	"testing"

	"github.com/weirhq/weir/internal/algorithm/vectors"
)

// The worked examples on the pages of docs/algorithms are vectors too: fenced
// blocks marked "vector", each a case with a key of its own.
func TestPagesTellTheTruth(t *testing.T) {
	for _, kind := range vectors.Kinds() {
		t.Run(vectors.Name(kind), func(t *testing.T) {
			cases := pageCases(t, "../../docs/algorithms/"+vectors.Name(kind)+".md")
			if len(cases) == 0 {
				t.Fatal("the page has no example")
			}
			for _, c := range cases {
				c.Run(t, kind, vectorKey{newKey(kind)})
				c.Run(t, kind, &vectorModel{newModel(kind)})
			}
		})
	}
}

// pageCases are the examples of a page; their lines are those of the page.
func pageCases(t *testing.T, page string) []vectors.Case {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string // the page as a vector file: prose blank, each fence a title
	inside := false
	for line := range strings.Lines(string(text)) {
		switch line = strings.TrimSpace(line); {
		case line == "```vector":
			inside = true
			line = "== an example"
		case !inside || line == "```":
			inside = false
			line = ""
		}
		lines = append(lines, line)
	}
	cases, err := vectors.Parse(page, strings.Join(lines, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	return cases
}
