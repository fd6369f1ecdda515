package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/bench/callers"
	"github.com/weirhq/weir/bench/turns"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "load" {
		main() // one of the processes of a series
		return
	}
	os.Exit(m.Run())
}

const docs = "../../docs"

var tiny = settings{rounds: 1, turn: 5 * time.Millisecond, warm: time.Millisecond, sizes: sizes{
	keysMemory: []int{100, 1_000}, keysRedis: []int{100, 1_000}, layers: []int{1, 3}, logs: []int{1, 100},
	callers: []int{1, 8}, processes: []int{1, 2}, masters: []int{1, 2}, spread: 1_000,
}}

// A run of all series in small: each asserts its own set-up, and what it prints is all
// that the page and its charts need.
func TestRunAndDraw(t *testing.T) {
	dir := t.TempDir()
	result, err := os.Create(filepath.Join(dir, "result.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if err := run(tiny, result); err != nil {
		t.Fatal(err)
	}
	if err := result.Close(); err != nil {
		t.Fatal(err)
	}
	drawn := drawInto(t, dir, result.Name())
	if drawn["scaling.md"] == read(t, filepath.Join(docs, "scaling.md")) {
		t.Error("the page is not written")
	}
	for _, p := range pictures {
		if !strings.Contains(drawn[p.file], "<polyline") {
			t.Errorf("%s shows nothing", p.file)
		}
	}
}

// drawInto draws into a copy of the page, and returns what it wrote.
func drawInto(t *testing.T, dir, result string) map[string]string {
	t.Helper()
	if err := os.Mkdir(filepath.Join(dir, "images"), 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "scaling.md")
	if err := os.WriteFile(file, []byte(read(t, filepath.Join(docs, "scaling.md"))), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := draw(result, dir); err != nil {
		t.Fatal(err)
	}
	drawn := map[string]string{"scaling.md": read(t, file)}
	for _, p := range pictures {
		drawn[p.file] = read(t, filepath.Join(dir, "images", p.file))
	}
	return drawn
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The page and its charts are what the latest result says, and every chart is shown.
func TestPageIsOfTheLatestResult(t *testing.T) {
	results, err := filepath.Glob("../results/*-growth.txt")
	if err != nil || len(results) == 0 {
		t.Fatal("there is no result", err)
	}
	for file, want := range drawInto(t, t.TempDir(), slices.Max(results)) {
		place := filepath.Join(docs, "images", file)
		if file == "scaling.md" {
			place = filepath.Join(docs, file)
		} else if !strings.Contains(read(t, filepath.Join(docs, "scaling.md")), "images/"+file) {
			t.Errorf("%s is not on the page", file)
		}
		if read(t, place) != want {
			t.Errorf("%s says other than %s: go -C bench run ./growth draw %[2]s ../docs", place, slices.Max(results))
		}
	}
}

// A page that cannot be written whole is left as it is.
func TestBlocks(t *testing.T) {
	all := ""
	for name := range (&page{}).blocks() {
		all += "<!-- growth: " + name + " -->\nold\n<!-- /growth -->\n"
	}
	for name, c := range map[string]struct{ text, want string }{
		"figures that are missing": {all, " in "},
		"an unknown block":         {"<!-- growth: nonsense -->\n<!-- /growth -->" + all, `no block "nonsense"`},
		"a block without an end":   {strings.TrimSuffix(all, "<!-- /growth -->\n"), "no end"},
		"no blocks":                {"text", "the page has no block"},
	} {
		if _, err := (&page{}).fill(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("a page with %s: %v", name, err)
		}
	}
}

// Figures of a cluster in which one master does most are not of so many masters.
func TestEveryMasterDoesItsPart(t *testing.T) {
	done := loaded{Load: callers.Load{Calls: 200, Took: time.Second}}
	before := []use{{100, 0}, {100, 0}}
	if _, err := clusterFigures(done, before, []use{{205, time.Millisecond}, {195, time.Millisecond}}); err != nil {
		t.Error(err)
	}
	if _, err := clusterFigures(done, before, []use{{290, time.Millisecond}, {110, time.Millisecond}}); err == nil {
		t.Error("one master with 190 of 200 calls passes")
	}
	if _, err := clusterFigures(done, before, []use{{140, time.Millisecond}, {124, time.Millisecond}}); err != nil {
		t.Error("of a few calls:", err)
	}
}

// A decision that comes out otherwise than the set-up says ends the run.
func TestOtherAnswersAreErrors(t *testing.T) {
	store := weir.NewMemoryStore(weir.MemoryOptions{})
	defer store.Close()
	if _, err := load(2, batch, time.Millisecond, hot.randomly(store, limit(weir.PerDay(1)), 1, true)); err == nil {
		t.Error("refusals pass for admissions")
	}
	if assertHeld(store, 2) == nil || assertHeld(store, 0) == nil {
		t.Error("another number of keys passes")
	}
}

func TestShown(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.01234: "0.0123", 0.0009: "under 0.001", 5: "5", 99.96: "100", 512: "512", 1234.5: "1,230", 999.9: "1,000", 12_345_678: "12,300,000"} {
		if got := shown(v); got != want {
			t.Errorf("%v is shown as %s, not %s", v, got, want)
		}
	}
}

// Points are in order, not as they ran.
func TestNumbersAreInOrder(t *testing.T) {
	all := turns.Results{{Contest: "c", Contender: "a/100"}, {Contest: "c", Contender: "a/2"}, {Contest: "c", Contender: "b/7"}, {Contest: "c", Contender: "a/x"}}
	if got := numbers(all, "c", "a"); !slices.Equal(got, []int{2, 100}) {
		t.Error(got)
	}
}

// A hot key whose decisions were calls after all ends the run.
func TestCallsOfAHotKey(t *testing.T) {
	for _, c := range []struct {
		kind             string
		calls, decisions int64
		want             bool
	}{
		{"call-each", 200, 200, true}, {"call-each", 199, 200, false},
		{"leased", 100, 200, true}, {"leased", 101, 200, false}, {"leased", 3, 3, true},
		{"deny-cache", 0, 1, true}, {"deny-cache", 150, 200, false},
		{"shared", 1, 200, true}, {"shared", 200, 200, true},
	} {
		if got := explains(c.kind, c.calls, c.decisions); got != c.want {
			t.Errorf("%s: %d calls for %d decisions: %t", c.kind, c.calls, c.decisions, got)
		}
	}
}
