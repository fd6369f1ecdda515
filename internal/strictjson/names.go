package strictjson

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
)

// checkNames refuses names that the type does not have, in this very spelling, and
// names said twice. The text is JSON that has been decoded into the type.
func checkNames(text []byte, t reflect.Type) error {
	w := walker{rest: text}
	return w.value(t)
}

// walker steps through valid JSON.
type walker struct{ rest []byte }

func (w *walker) value(t reflect.Type) error {
	if !hasNames(t) {
		w.skip()
		return nil
	}
	switch w.next() {
	case '{':
		return w.object(t)
	case '[':
		return w.list(t)
	default: // null
		w.skip()
		return nil
	}
}

func (w *walker) object(t reflect.Type) error {
	t = inner(t)
	seen := map[string]bool{}
	for w.step(); w.next() != '}'; {
		if w.next() == ',' {
			w.step()
		}
		name := w.name()
		if seen[name] {
			return Error(fmt.Sprintf("The field %q stands there twice.", name))
		}
		seen[name] = true
		field, known := elem(t, name)
		if !known {
			return Error(noField(name, allNames(t)))
		}
		w.next()
		w.step() // the colon
		if err := w.value(field); err != nil {
			return err
		}
	}
	w.step()
	return nil
}

func (w *walker) list(t reflect.Type) error {
	t = inner(t).Elem()
	for w.step(); w.next() != ']'; {
		if w.next() == ',' {
			w.step()
		}
		if err := w.value(t); err != nil {
			return err
		}
	}
	w.step()
	return nil
}

// next is the first byte that is no blank.
func (w *walker) next() byte {
	for w.rest[0] == ' ' || w.rest[0] == '\t' || w.rest[0] == '\n' || w.rest[0] == '\r' {
		w.step()
	}
	return w.rest[0]
}

func (w *walker) step() { w.rest = w.rest[1:] }

// name takes an object's next name.
func (w *walker) name() string {
	w.next()
	raw := w.rest[:stringEnd(w.rest)]
	w.rest = w.rest[len(raw):]
	if plain := raw[1 : len(raw)-1]; !slices.Contains(plain, '\\') {
		return string(plain)
	}
	var name string
	json.Unmarshal(raw, &name) // it is valid
	return name
}

// stringEnd is the length of the string that text begins with.
func stringEnd(text []byte) int {
	for i := 1; ; i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
}

// skip takes the next value, whatever it holds.
func (w *walker) skip() {
	w.next()
	for depth := 0; len(w.rest) > 0; {
		switch w.rest[0] {
		case '"':
			w.rest = w.rest[stringEnd(w.rest):]
			if depth == 0 {
				return
			}
			continue
		case '{', '[':
			depth++
		case '}', ']', ',':
			if depth == 0 {
				return // a number or a word ends before it
			}
			if w.rest[0] != ',' {
				depth--
				if depth == 0 {
					w.step()
					return
				}
			}
		}
		w.step()
	}
}
