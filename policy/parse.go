package policy

import (
	"reflect"
	"strconv"
	"time"
)

// Parse reads a configuration, strictly: what is unknown, misspelt, twice or out
// of range is an error, never left out. file names it in messages, and its
// folder is where the files that it names are looked for. The result has its
// defaults filled in and its texts in canonical form.
//
// The error is a *[ConfigErrors] with all that is wrong, in the order of the
// file.
func Parse(file string, src []byte) (*Config, error) {
	root, problems := document(file, src)
	if len(problems) > 0 {
		return nil, &ConfigErrors{problems}
	}
	if root == nil {
		return nil, &ConfigErrors{[]ConfigError{{File: file, Line: 1, Col: 1,
			Message: "the file is empty", Hint: "it needs layers: [{name: edge, by: ip, limit: 100/min}]"}}}
	}
	c := new(Config)
	d := decoder{source: source{file: file, marks: map[string]mark{}, bad: map[string]bool{}}}
	d.value("", root, c)
	c.source = d.source
	fillDefaults(reflect.ValueOf(c).Elem())

	// What could be read is checked too, so that a second look finds nothing new.
	k := newCompiler(c, Options{})
	k.canonical = true
	k.compile()
	if all := append(d.errors, k.errors...); len(all) > 0 {
		return nil, &ConfigErrors{inOrder(all)}
	}
	return c, nil
}

// fillDefaults fills the zero fields of a configuration that stand for a default.
// A layer's and a limit's stay zero: theirs come from around them.
func fillDefaults(v reflect.Value) {
	for _, f := range fieldsOf(v.Type()) {
		target := v.FieldByIndex(f.index)
		if target.Kind() == reflect.Struct {
			fillDefaults(target)
			continue
		}
		if f.fallback == "" || !target.IsZero() {
			continue
		}
		switch into := target.Addr().Interface().(type) {
		case *string:
			*into = f.fallback
		case *int64:
			*into, _ = strconv.ParseInt(f.fallback, 10, 64)
		case *time.Duration:
			*into, _ = time.ParseDuration(f.fallback)
		case *DurationOrOff:
			d, _ := time.ParseDuration(f.fallback)
			*into = DurationOrOff(d)
		}
	}
}
