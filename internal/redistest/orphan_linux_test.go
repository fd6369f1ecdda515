package redistest_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/weirhq/weir/internal/redistest"
)

// childEnv has a test binary start a server and wait to be killed.
const childEnv = "WEIR_REDISTEST_CHILD"

// A test binary that is killed leaves no server behind.
func TestServersEndWithTheirTests(t *testing.T) {
	if os.Getenv(childEnv) != "" {
		fmt.Println("server at", redistest.Start(t).Addr)
		select {}
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestServersEndWithTheirTests$")
	cmd.Env = append(os.Environ(), childEnv+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	addr := ""
	for lines := bufio.NewScanner(out); addr == "" && lines.Scan(); {
		addr, _ = strings.CutPrefix(lines.Text(), "server at ")
	}
	if c, err := redistest.Dial(addr); err != nil {
		t.Fatalf("%q: %v", addr, err)
	} else {
		c.Close()
	}
	cmd.Process.Kill()
	cmd.Wait()
	redistest.Until(t, 5*time.Second, func() bool {
		c, err := redistest.Dial(addr)
		if err == nil {
			c.Close()
		}
		return err != nil
	}, "the server at %s ends", addr)
}
