// Package strictjson reads JSON that somebody wrote by hand or by a program with
// a mistake in it, and says what the mistake is: nothing unknown, misspelt, said
// twice or left over is passed over.
//
//	var in struct {
//		Layer string `json:"layer"`
//	}
//	if err := strictjson.Decode(body, &in); err != nil {
//		answer(400, err.Error()) // The body has no field "layr"; did you mean "layer"?
//	}
//
// # Errors
//
// Decode's error is an [Error]. It names fields and repeats numbers; strings,
// which may be credentials, it does not repeat.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/weirhq/weir"
)

// Error is a sentence for whoever wrote the text.
type Error string

// Error is the sentence.
func (e Error) Error() string { return string(e) }

// Decode reads exactly one JSON value. Beyond what encoding/json does, it refuses
// unknown names, names in another letter case, names said twice, and text that is
// not UTF-8: encoding/json would take the last of two, and make one character of
// all bytes that are none, so that two keys became one. Every field of what it decodes into
// has a json tag.
func Decode(text []byte, into any) error {
	if !utf8.Valid(text) {
		return Error("The body is not UTF-8.")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(into); err != nil {
		return Error(explain(err))
	}
	if _, err := d.Token(); err != io.EOF {
		return Error("The body goes on after its JSON value.")
	}
	return checkNames(text, reflect.TypeOf(into))
}

// explain words an error of encoding/json.
func explain(err error) string {
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong) && wrong.Field != "":
		return fmt.Sprintf("The field %s takes %s, not %s.", wrong.Field, kindName(wrong.Type), valueName(wrong.Value))
	case errors.As(err, &wrong):
		return fmt.Sprintf("The body takes %s, not %s.", kindName(wrong.Type), valueName(wrong.Value))
	case errors.As(err, &syntax):
		return fmt.Sprintf("The body is not JSON: byte %d: %v.", syntax.Offset, syntax)
	case errors.Is(err, io.EOF):
		return "The body is empty."
	default: // io.ErrUnexpectedEOF
		return "The body is not JSON: it ends too early."
	}
}

func noField(name string, known []string) string {
	text := fmt.Sprintf("The body has no field %q", name)
	if near := weir.Nearest(name, known); near != "" {
		return text + fmt.Sprintf("; did you mean %q?", near)
	}
	return text + "."
}

// kindName is what a type takes, in the words of JSON.
func kindName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int64:
		return "a whole number up to 9223372036854775807"
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Slice:
		return "a list"
	default:
		return "an object"
	}
}

// valueName is what was found, which encoding/json calls "array" or "number 1.5".
func valueName(found string) string {
	switch found {
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "bool":
		return "true or false"
	case "string", "number":
		return "a " + found
	}
	return strings.TrimPrefix(found, "number ")
}
