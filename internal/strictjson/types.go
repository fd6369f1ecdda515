package strictjson

import (
	"encoding/json"
	"reflect"
	"strings"
)

// inner is the type behind pointers.
func inner(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// hasNames reports whether values of the type hold objects to look into.
func hasNames(t reflect.Type) bool {
	switch t = inner(t); t.Kind() {
	case reflect.Struct, reflect.Map:
		return true
	case reflect.Slice:
		return t != reflect.TypeFor[json.RawMessage]() && hasNames(t.Elem())
	}
	return false
}

// elem is the type of what an object of type t has under the name; every name is
// known to a map.
func elem(t reflect.Type, name string) (reflect.Type, bool) {
	if t.Kind() == reflect.Map {
		return t.Elem(), true
	}
	for i := range t.NumField() {
		if jsonName(t.Field(i)) == name {
			return t.Field(i).Type, true
		}
	}
	return nil, false
}

// allNames lists the names in a type and within it, for a suggestion.
func allNames(t reflect.Type) []string {
	t = inner(t)
	switch t.Kind() {
	case reflect.Slice:
		return allNames(t.Elem())
	case reflect.Struct:
		var names []string
		for i := range t.NumField() {
			names = append(append(names, jsonName(t.Field(i))), allNames(t.Field(i).Type)...)
		}
		return names
	}
	return nil
}

// jsonName is a field's name in JSON. Every field of the types read here has one.
func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}
