package policy

import (
	_ "embed"
	"sync"
)

//go:embed default.yaml
var defaultYAML []byte

// defaultFile names the built-in configuration in messages.
const defaultFile = "(default)"

// DefaultConfig is the configuration of `weir serve` without a file, and a new
// one each time: 1000/min by address; by API key 60/min on the plan free and
// 600/min on pro; /search 10/min and /export 5/min by API key, or by address
// without one. All are sliding counters. No keys are listed, so every key is
// believed and is on free.
func DefaultConfig() *Config {
	c, err := Parse(defaultFile, defaultYAML)
	if err != nil {
		panic(err) // it is part of the program, and tested
	}
	return c
}

// Default is [DefaultConfig] compiled without a secret: the three layers edge,
// gateway and endpoint.
func Default() *Policy { return defaultPolicy() }

var defaultPolicy = sync.OnceValue(func() *Policy {
	p, _, err := DefaultConfig().Compile(Options{})
	if err != nil {
		panic(err)
	}
	return p
})
