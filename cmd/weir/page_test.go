package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// A page that could not be written to its end leaves the one before.
func TestPageIsWholeOrAsBefore(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "report.html")
	writeFile(t, name, "before")
	full := errors.New("no space left")
	err := writePage(name, func(w io.Writer) error {
		io.WriteString(w, "half a pa")
		return full
	})
	if !errors.Is(err, full) {
		t.Error(err)
	}
	if text, err := os.ReadFile(name); err != nil || string(text) != "before" {
		t.Errorf("it holds %q, %v", text, err)
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) != 1 {
		t.Errorf("there are %v, %v", files, err)
	}
}
