// Command report writes the tables and charts of docs/performance.md from what the
// other programs printed, the last run of each in bench/results.
//
//	go run ./report
//
// What stands between the two marks in the document is its own; the rest it leaves.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weirhq/weir/bench/turns"
)

const (
	begin = "<!-- peers: begin, written by bench/report -->\n"
	end   = "<!-- peers: end -->\n"
)

func main() {
	if err := run("results", filepath.Join("..", "docs")); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

func run(results, docs string) error {
	text, charts, err := render(results)
	if err != nil {
		return err
	}
	for name, svg := range charts {
		if err := os.WriteFile(filepath.Join(docs, "images", name), []byte(svg), 0o644); err != nil {
			return err
		}
	}
	page := filepath.Join(docs, "performance.md")
	old, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	next, err := replace(string(old), text)
	if err != nil {
		return err
	}
	return os.WriteFile(page, []byte(next), 0o644)
}

// replace puts the text between the marks.
func replace(page, text string) (string, error) {
	head, rest, ok := strings.Cut(page, begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return "", fmt.Errorf("the page lacks %q or %q", strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return head + begin + "\n" + text + "\n" + end + tail, nil
}

// last is the newest run of a program, and its file's name.
func last(dir, program string) (r turns.Results, heading []string, name string, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "????-??-??-"+program+".txt"))
	if err != nil || len(files) == 0 {
		return nil, nil, "", fmt.Errorf("no results of %s in %s", program, dir)
	}
	newest := slices.Max(files)
	in, err := os.Open(newest)
	if err != nil {
		return nil, nil, "", err
	}
	defer in.Close()
	r, heading, err = turns.Read(in)
	return r, heading, filepath.Base(newest), err
}
