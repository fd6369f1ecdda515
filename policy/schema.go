package policy

import (
	_ "embed"
	"slices"
)

// schema.json is generated from the types and comments of config.go:
// go test ./policy -run Schema -update
//
//go:embed schema.json
var schema []byte

// Schema is the JSON Schema (draft 7, which editors read) of a configuration.
func Schema() []byte { return slices.Clone(schema) }
