package main

import (
	"errors"
	"io"
	"os"
)

// writePage writes a page to a file.
func writePage(name string, write func(io.Writer) error) error {
	page, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(page), page.Close())
}
