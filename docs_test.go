package weir_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weirhq/weir/policy"
)

// Whoever copies the README's program and configuration gets something that
// works. The examples on the algorithms' pages are run by
// internal/algorithm/pages_test.go.

func TestProgramInReadmeBuilds(t *testing.T) {
	programs := fenced(t, "README.md", "go")
	if len(programs) == 0 {
		t.Fatal("README.md has no program")
	}
	for _, program := range programs {
		file := filepath.Join(t.TempDir(), "main.go")
		if err := os.WriteFile(file, []byte(program), 0o644); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("go", "vet", file).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s\n%s", err, out, program)
		}
	}
}

func TestConfigurationsInDocsLoad(t *testing.T) {
	for _, block := range fenced(t, "README.md", "yaml") {
		load(t, "README.md", block)
	}
	pages, err := filepath.Glob("docs/algorithms/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal(pages, err)
	}
	for _, page := range pages {
		for _, block := range fenced(t, page, "yaml") {
			load(t, page, "layers:\n  - name: example\n    by: ip\n    "+strings.ReplaceAll(block, "\n", "\n    "))
		}
	}
}

func load(t *testing.T, file, text string) {
	t.Helper()
	config, err := policy.Parse(file, []byte(text))
	if err == nil {
		_, _, err = config.Compile(policy.Options{Secret: []byte("a secret")})
	}
	if err != nil {
		t.Errorf("%v\n%s", err, text)
	}
}

// fenced are the blocks of a language in a Markdown file.
func fenced(t *testing.T, file, language string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var blocks []string
	for _, after := range strings.Split(string(text), fmt.Sprintf("\n```%s\n", language))[1:] {
		block, _, _ := strings.Cut(after, "\n```")
		blocks = append(blocks, block+"\n")
	}
	return blocks
}
