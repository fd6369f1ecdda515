package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// ConfigError is one thing that is wrong with a configuration.
type ConfigError struct {
	// File is the name that [Parse] was given, or that of a key file. "" where
	// the configuration was written in Go.
	File string
	// Line and Col count from 1, Col in characters. Both are 0 where the
	// configuration was written in Go.
	Line, Col int
	// Path is the field, such as "layers[0].limit". "" is the whole.
	Path string
	// Message says what is wrong.
	Message string
	// Hint says what was probably meant, or what can be written; "" where
	// nothing helps.
	Hint string
}

// Error is FILE:LINE:COL: what is wrong, and what was probably meant. Without a
// position the field's path stands in its place.
func (e ConfigError) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File)
		if e.Line > 0 {
			fmt.Fprintf(&b, ":%d:%d", e.Line, e.Col)
		}
		b.WriteString(": ")
	}
	if e.Line == 0 && e.Path != "" {
		b.WriteString(e.Path + ": ")
	}
	b.WriteString(e.Message)
	if e.Hint != "" {
		b.WriteString(": " + e.Hint)
	}
	return b.String()
}

// ConfigErrors are all that is wrong with a configuration, in the order of the
// file: a person mends them in one go. [Parse] and [Config.Compile] return it.
type ConfigErrors struct {
	Errors []ConfigError // at least one
}

// Error is one line for each.
func (e *ConfigErrors) Error() string {
	lines := make([]string, len(e.Errors))
	for i, one := range e.Errors {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives them one by one to [errors.As].
func (e *ConfigErrors) Unwrap() []error {
	all := make([]error, len(e.Errors))
	for i, one := range e.Errors {
		all[i] = one
	}
	return all
}

// Warning is something in a valid configuration that was probably not meant. It
// reads like a [ConfigError].
type Warning ConfigError

// String is FILE:LINE:COL: what, and what to do about it.
func (w Warning) String() string { return ConfigError(w).Error() }

// inOrder sorts by position.
func inOrder[E interface{ ConfigError | Warning }](all []E) []E {
	slices.SortStableFunc(all, func(a, b E) int {
		x, y := ConfigError(a), ConfigError(b)
		return cmp.Or(cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line), cmp.Compare(x.Col, y.Col))
	})
	return all
}
