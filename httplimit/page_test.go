package httplimit

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Whoever copies a program from docs/http.md or docs/grpc.md gets one that builds.
func TestProgramsOnPagesBuild(t *testing.T) {
	for page, want := range map[string]int{"../docs/http.md": 2, "../docs/grpc.md": 1} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		programs := strings.Split(string(text), "\n```go\n")[1:]
		if len(programs) != want {
			t.Errorf("set-up: %s has %d programs, not %d", page, len(programs), want)
		}
		for _, program := range programs {
			program, _, _ = strings.Cut(program, "\n```")
			file := filepath.Join(t.TempDir(), "main.go")
			if err := os.WriteFile(file, []byte(program+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command("go", "vet", file).CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s\n%s", page, err, out, program)
			}
		}
	}
}
