package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weirhq/weir"
)

// choice is the value of a flag that takes one of a few words.
type choice struct {
	value string
	words []string
}

func newChoice(value string, words ...string) *choice { return &choice{value, words} }

// String is the word chosen.
func (c *choice) String() string { return c.value }

// Type is what help calls the value.
func (c *choice) Type() string { return strings.Join(c.words, "|") }

// Set refuses what is not one of the words.
func (c *choice) Set(text string) error {
	if !slices.Contains(c.words, text) {
		if near := weir.Nearest(text, c.words); near != "" {
			return fmt.Errorf("did you mean %s?", near)
		}
		return fmt.Errorf("it takes %s", strings.Join(c.words, ", "))
	}
	c.value = text
	return nil
}
