package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// writePage writes a page to a file. It is there whole or as it was before: a page
// is written beside it and takes its name. What is no file, such as a pipe, is
// written to.
func writePage(name string, write func(io.Writer) error) error {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return writeInto(name, write)
	}
	beside := name + ".part"
	err := writeInto(beside, write)
	if err == nil {
		err = os.Rename(beside, name)
	}
	if err != nil {
		os.Remove(beside)
	}
	return err
}

func writeInto(name string, write func(io.Writer) error) error {
	page, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(page), page.Close())
}
