package policy

import (
	"go.yaml.in/yaml/v4"

	"github.com/weirhq/weir/internal/strictyaml"
)

// document reads the one YAML document of a file as nodes; nil and no problems
// where there is none.
func document(file string, src []byte) (*yaml.Node, []ConfigError) {
	root, p := strictyaml.Document(file, src)
	if p != nil {
		return nil, []ConfigError{{File: p.File, Line: p.Line, Col: p.Col, Message: p.Message, Hint: p.Hint}}
	}
	return root, nil
}
