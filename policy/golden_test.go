package policy

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGoldenPolicies holds the canonical form of whole files and what is warned
// about them.
func TestGoldenPolicies(t *testing.T) {
	files, err := filepath.Glob("testdata/policies/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			c := mustParse(t, string(src))
			var got bytes.Buffer
			got.Write(c.Canonical())
			_, warnings, err := c.Compile(Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range warnings {
				fmt.Fprintln(&got, "#", w)
			}
			golden(t, strings.TrimSuffix(file, ".yaml")+".golden", got.Bytes())
			sameAgain(t, c)
		})
	}
}

// The built-in default and the page that shows it are the same file.
func TestDefaultWarnsOfTheSecretOnly(t *testing.T) {
	_, warnings, err := DefaultConfig().Compile(Options{})
	if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0].String(), "no secret") {
		t.Errorf("%v, %v", warnings, err)
	}
	_, warnings, err = DefaultConfig().Compile(Options{Secret: []byte("0123456789abcdef")})
	if err != nil || len(warnings) != 0 {
		t.Errorf("%v, %v", warnings, err)
	}
}

// mustParse reads a configuration that is right.
func mustParse(t testing.TB, src string) *Config {
	t.Helper()
	c, err := Parse("weir.yaml", []byte(src))
	if err != nil {
		t.Fatalf("%v\nin\n%s", err, src)
	}
	return c
}

// mustCompile reads and compiles one.
func mustCompile(t testing.TB, src string) *Policy {
	t.Helper()
	p, _, err := mustParse(t, src).Compile(Options{})
	if err != nil {
		t.Fatalf("%v\nin\n%s", err, src)
	}
	return p
}
