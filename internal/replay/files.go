package replay

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxBroken is how many unreadable lines of a file are shown.
const maxBroken = 5

// fileTally counts what became of a file's lines.
type fileTally struct {
	name, format string
	lines        int64
	records      int64
	rejoined     int64 // lines that were put behind one before them
	unparsed     int64
	examples     []Line
	failed       error // why it was not read to its end
}

// Line is one that was not understood.
type Line struct {
	File   string `json:"file"`
	Number int64  `json:"line"` // from 1
	Text   string `json:"text"` // its beginning
}

func (t *fileTally) broken(p piece) {
	t.unparsed++
	if len(t.examples) < maxBroken {
		t.examples = append(t.examples, Line{t.name, p.number, beginning(p.text, 80)})
	}
}

// beginning is a text cut to n characters that a terminal can show: what would move
// the cursor, or turn the direction of the text, is left out.
func beginning(text string, n int) string {
	clean := strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, text[:min(len(text), 4*n)])
	runes := []rune(clean)
	if len(runes) <= n {
		return clean
	}
	return string(runes[:n-1]) + "…"
}
