package policy

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite the golden files and schema.json")

// golden compares with a file, or rewrites it.
func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; -update rewrites it\ngot:\n%s\nwant:\n%s", file, got, want)
	}
}

// TestSchema generates the schema from the types and comments of config.go, so
// that it cannot lag behind them.
func TestSchema(t *testing.T) {
	comments := fieldComments(t)
	s := object{
		"$schema": "http://json-schema.org/draft-07/schema#",
		"title":   "weir configuration",
	}
	for name, value := range structSchema(reflect.TypeFor[Config](), comments) {
		s[name] = value
	}
	s["definitions"] = definitions(comments)
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(s); err != nil {
		t.Fatal(err)
	}
	golden(t, "schema.json", text.Bytes())
	if !*update && !bytes.Equal(Schema(), text.Bytes()) {
		t.Error("Schema is not schema.json")
	}
}

// Every field says what it is for.
func TestEveryFieldHasAComment(t *testing.T) {
	comments := fieldComments(t)
	for _, typ := range []reflect.Type{reflect.TypeFor[Config](), reflect.TypeFor[Headers](), reflect.TypeFor[Clients](), reflect.TypeFor[Layer](), reflect.TypeFor[Match](), reflect.TypeFor[Settings]()} {
		for _, f := range fieldsOf(typ) {
			if comments[commentKey(typ, f)] == "" {
				t.Errorf("%s: %s has no comment", typ, f.name)
			}
		}
	}
}

type object = map[string]any

func structSchema(t reflect.Type, comments map[string]string) object {
	properties := object{}
	for _, f := range fieldsOf(t) {
		p := fieldSchema(t.FieldByIndex(f.index).Type, f, comments)
		if text := comments[commentKey(t, f)]; text != "" {
			if _, isRef := p["$ref"]; isRef { // draft 7 ignores what stands beside a $ref
				p = object{"allOf": []any{p}}
			}
			p["description"] = text
		}
		properties[f.name] = p
	}
	s := object{"type": "object", "additionalProperties": false, "properties": properties}
	if names := required[t]; names != nil {
		s["required"] = names
	}
	return s
}

var required = map[reflect.Type][]string{
	reflect.TypeFor[Config]():   {"layers"},
	reflect.TypeFor[Layer]():    {"name", "by"},
	reflect.TypeFor[limitMap](): {"limit"},
}

func fieldSchema(t reflect.Type, f field, comments map[string]string) object {
	low, high := f.bounds()
	switch t {
	case reflect.TypeFor[string]():
		s := object{"type": "string"}
		if f.enum != nil {
			s = object{"enum": f.enum}
		}
		if f.fallback != "" {
			s["default"] = f.fallback
		}
		return s
	case reflect.TypeFor[int64]():
		s := object{"type": "integer", "minimum": low}
		if f.max != "" {
			s["maximum"] = high
		}
		if f.fallback != "" {
			s["default"] = json.Number(f.fallback)
		}
		return s
	case reflect.TypeFor[bool]():
		return object{"type": "boolean", "default": false}
	case reflect.TypeFor[time.Duration]():
		return object{"type": "string", "pattern": `^([0-9]+(\.[0-9]+)?(ns|us|ms|s|m|h))+$`, "default": f.fallback}
	case reflect.TypeFor[DurationOrOff]():
		return object{"type": "string", "pattern": `^(off|([0-9]+(\.[0-9]+)?(ns|us|ms|s|m|h))+)$`, "default": f.fallback}
	case reflect.TypeFor[Lease]():
		return object{"type": "string", "pattern": `^(off|[1-9][0-9]?%)$`, "default": f.fallback}
	case reflect.TypeFor[[]Layer]():
		return object{"type": "array", "minItems": 1, "items": structSchema(reflect.TypeFor[Layer](), comments)}
	case reflect.TypeFor[List]():
		return ref("list")
	case reflect.TypeFor[Cost]():
		return ref("cost")
	case reflect.TypeFor[Limit](), reflect.TypeFor[*Limit]():
		return ref("limit")
	case reflect.TypeFor[limitValue]():
		return object{"oneOf": []any{ref("rate"), ref("rates")}}
	case reflect.TypeFor[Map[Limit]]():
		return object{"type": "object", "minProperties": 1, "additionalProperties": ref("limit")}
	case reflect.TypeFor[Map[List]]():
		return object{"type": "object", "minProperties": 1, "additionalProperties": ref("list")}
	case reflect.TypeFor[Map[string]]():
		return object{"type": "object", "minProperties": 1, "additionalProperties": object{"type": "string"}}
	}
	return structSchema(t, comments)
}

func ref(name string) object { return object{"$ref": "#/definitions/" + name} }

func definitions(comments map[string]string) object {
	text := object{"type": []string{"string", "integer"}}
	return object{
		"rate": object{"oneOf": []any{
			object{"enum": []string{wordPlan, wordUnlimited, wordBlocked}},
			object{"type": "string", "pattern": `^ *[0-9]+/[0-9a-z.]+ *$`, "examples": []string{"10/s", "600/min", "1000/h", "5/day", "30/10s", "100/1h30m"}},
		}},
		"rates":    object{"type": "array", "minItems": 1, "items": object{"oneOf": []any{ref("rate"), ref("settings")}}},
		"settings": structSchema(reflect.TypeFor[limitMap](), comments),
		"limit":    object{"oneOf": []any{ref("rate"), ref("rates"), ref("settings")}},
		"cost":     object{"oneOf": []any{object{"type": "integer", "minimum": 1}, object{"type": "string", "pattern": `^header:[!#$%&'*+.^_|~0-9A-Za-z-]+$`}}},
		"list":     object{"oneOf": []any{text, object{"type": "array", "minItems": 1, "items": text}}},
	}
}

func commentKey(t reflect.Type, f field) string {
	if len(f.index) > 1 {
		return "Settings." + f.name
	}
	if t == reflect.TypeFor[limitMap]() {
		return "Limit." + f.name
	}
	return t.Name() + "." + f.name
}

// fieldComments reads the comments of the fields of config.go, by type and name.
func fieldComments(t *testing.T) map[string]string {
	file, err := parser.ParseFile(token.NewFileSet(), "config.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	comments := map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		if body, ok := spec.Type.(*ast.StructType); ok {
			for _, f := range body.Fields.List {
				comments[spec.Name.Name+"."+tagName(f)] = strings.Join(strings.Fields(f.Doc.Text()), " ")
			}
		}
		return true
	})
	comments["Limit.limit"] = comments["Limit.[Rate]"]
	return comments
}

func tagName(f *ast.Field) string {
	if f.Tag == nil {
		return fmt.Sprint(f.Names) // "[Rate]": not a field of a file
	}
	tag, _, _ := strings.Cut(reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("yaml"), ",")
	return tag
}
