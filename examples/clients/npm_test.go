package clients

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// node runs a script of this folder with the packages of package-lock.json, and
// reads what it prints into answer.
func node(t *testing.T, answer any, stdin, script string, args ...string) {
	t.Helper()
	dir := install(t)
	command := exec.Command("node", append([]string{script}, args...)...)
	command.Dir = dir
	command.Stdin = strings.NewReader(stdin)
	var stderr strings.Builder
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		t.Errorf("node %s: %v", script, err)
	}
	if stderr.Len() > 0 {
		t.Log(&stderr)
	}
	if err := json.Unmarshal(out, answer); err != nil {
		t.Fatalf("node %s: %v\n%s", script, err, out)
	}
}

// install brings the packages into .tools/clients, once for each package-lock.json.
// It runs no script of theirs. Without npm the tests fail: what these clients do
// is promised.
func install(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		t.Fatal("npm and node (20.18 or later) are needed: on Debian, apt-get install nodejs npm")
	}
	lock, err := os.ReadFile("package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.Abs("../../.tools/clients")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"package.json", "package-lock.json", "calls.mjs", "parse.mjs", "throttle.mjs"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sum := sha256.Sum256(lock)
	stamp := filepath.Join(dir, "node_modules", ".installed-"+hex.EncodeToString(sum[:8]))
	if _, err := os.Stat(stamp); err == nil {
		return dir
	}
	command := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	command.Dir = dir
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	if err := os.WriteFile(stamp, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}
