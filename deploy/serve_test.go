package deploy

import (
	"bufio"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/weirhq/weir/internal/child"
)

// addresses are where a daemon listens.
type addresses struct{ HTTP, Admin string }

// serve starts the binary with these arguments on free ports.
func serve(t *testing.T, args ...string) (a addresses) {
	t.Helper()
	cmd := exec.Command(build(t), append([]string{"serve", "--log-format", "json",
		"--http", "127.0.0.1:0", "--grpc", "", "--resp", "127.0.0.1:0", "--admin", "127.0.0.1:0"}, args...)...)
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(cmd); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	var before []string
	for lines := bufio.NewScanner(log); lines.Scan(); {
		before = append(before, lines.Text())
		if strings.Contains(lines.Text(), `"msg":"serving"`) {
			if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
				t.Fatal(err)
			}
			return a
		}
	}
	t.Fatalf("weir does not serve: %s", strings.Join(before, "\n"))
	return a
}
