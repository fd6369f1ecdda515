package weir_test

import (
	"strings"
	"testing"

	"github.com/weirhq/weir"
)

func TestNearest(t *testing.T) {
	known := []string{"sliding-counter", "sliding-log", "gcra"}
	for text, want := range map[string]string{
		"sliding-conter": "sliding-counter", "GCRA": "gcra", "gcar": "gcra", "leaky": "", "": "",
		strings.Repeat("gcra", 20):        "",
		"sliding-counter-of-the-old-kind": "",
	} {
		if got := weir.Nearest(text, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", text, got, want)
		}
	}
}

// What is looked for may be a megabyte from a stranger: it is refused by its
// length, not compared.
func TestNearestOfALongTextIsCheap(t *testing.T) {
	text, known := strings.Repeat("x", 1<<20), []string{"gcra", "token-bucket"}
	if n := testing.AllocsPerRun(10, func() { weir.Nearest(text, known) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
