package replay

import (
	"fmt"
	"strings"
	"testing"
)

// Records that a raw line break has cut are put together, wherever it cut them;
// what belongs to none is counted with its line number.
func TestBrokenLines(t *testing.T) {
	whole := strings.TrimSuffix(line("203.0.113.7", 0, "/search?q=a+rather+long+one"), "\n")
	for cut := 1; cut < len(whole); cut++ {
		if whole[cut-1] == ' ' && cut > strings.Index(whole, "200") {
			continue // see TestCutBetweenFields
		}
		r := one(t, "", line("203.0.113.8", 0, "/")+whole[:cut]+"\n"+whole[cut:]+"\n"+line("203.0.113.9", 1, "/"))
		if r.Requests != 3 || r.Callers != 3 || r.Unparsed+r.Rejoined > 1 {
			t.Errorf("cut at %d, %q: %d requests, %d callers, %d rejoined, %d not understood", cut, whole[:cut], r.Requests, r.Callers, r.Rejoined, r.Unparsed)
		}
	}
}

// A line that ends between two fields is a record as far as it goes.
func TestCutBetweenFields(t *testing.T) {
	head := `203.0.113.7 - - [15/May/2024:12:00:00 +0000] "GET / HTTP/1.1" 200 5`
	r := one(t, "", head+"\n \"-\" \"curl/8\"\n"+head+" \"-\" \"an agent\nthat goes on\"\n"+head)
	if r.Requests != 3 || r.Rejoined != 2 || r.Unparsed != 0 {
		t.Errorf("%d requests, %d rejoined, %d not understood", r.Requests, r.Rejoined, r.Unparsed)
	}
}

func TestRecordInManyPieces(t *testing.T) {
	whole := strings.TrimSuffix(line("203.0.113.7", 0, "/search"), "\n")
	r := one(t, "", whole[:30]+"\n"+whole[30:60]+"\r\n"+whole[60:70]+"\n"+whole[70:]+"\n")
	if r.Requests != 1 || r.Rejoined != 3 || r.Unparsed != 0 {
		t.Errorf("%d requests, %d rejoined, %d not understood", r.Requests, r.Rejoined, r.Unparsed)
	}
}

func TestJunkIsCounted(t *testing.T) {
	log := "\n\n" + line("203.0.113.7", 0, "/") + "junk\n\x00\u202e\n" + line("203.0.113.7", 1, "/") + strings.Repeat("more junk\n", 10) + line("203.0.113.7", 2, "/") + `203.0.113.7 - - [15/May/2024:12:00:00 +0000] "GE`
	r := one(t, "", log)
	if r.Requests != 3 || r.Unparsed != 13 || r.Rejoined != 0 {
		t.Errorf("%d requests, %d rejoined, %d not understood", r.Requests, r.Rejoined, r.Unparsed)
	}
	var numbers []int64
	for _, l := range r.BrokenLines {
		numbers = append(numbers, l.Number)
	}
	if fmt.Sprint(numbers) != "[4 5 7 8 9]" || r.BrokenLines[1].Text != "??" {
		t.Errorf("broken lines %+v", r.BrokenLines)
	}
}

// A line of any length takes bounded memory, and the next one is read.
func TestLongLines(t *testing.T) {
	long := line("203.0.113.7", 0, "/"+strings.Repeat("a", 1000))
	endless := strings.Repeat("b", 5*chunkSize)
	r := one(t, "", long+endless+"\n"+line("203.0.113.8", 1, "/")+endless)
	if r.Requests != 2 || r.Unparsed != 2 || r.Files[0].Lines != 4 {
		t.Errorf("%d requests, %d not understood, %d lines", r.Requests, r.Unparsed, r.Files[0].Lines)
	}
}
