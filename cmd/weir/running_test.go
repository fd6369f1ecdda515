package main

import (
	"bufio"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// serving runs weir serve to the end of the script, and puts its URLs in TRAFFIC
// and ADMIN: serving FILE
func serving(ts *testscript.TestScript, _ bool, args []string) {
	program, err := exec.LookPath("weir")
	ts.Check(err)
	cmd := exec.Command(program, "serve", "--config", ts.MkAbs(args[0]), "--http", "127.0.0.1:0", "--grpc", "", "--resp", "", "--admin", "127.0.0.1:0")
	cmd.Env = []string{"WEIR_ADMIN_TOKEN=" + ts.Getenv("WEIR_ADMIN_TOKEN"), "GORACE=atexit_sleep_ms=0"}
	banner, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	ts.Defer(func() { cmd.Process.Kill(); cmd.Wait() })
	said := ""
	for lines := bufio.NewScanner(banner); !strings.Contains(said, "SIGHUP reloads") && lines.Scan(); {
		said += lines.Text() + "\n"
	}
	for name, label := range map[string]string{"TRAFFIC": "Traffic", "ADMIN": "Admin"} {
		found := regexp.MustCompile(label + `: (http://127\.0\.0\.1:[1-9]\d*)\n`).FindStringSubmatch(said)
		if found == nil {
			ts.Fatalf("weir serve says\n%s", said)
		}
		ts.Setenv(name, found[1])
	}
	ts.Setenv("WEIR_ADMIN", ts.Getenv("ADMIN"))
}

// request asks for a path, wants a status, and puts the decision's id in ID:
// request STATUS PATH
func request(ts *testscript.TestScript, _ bool, args []string) {
	answer, err := http.Get(ts.Getenv("TRAFFIC") + "/check" + args[1])
	ts.Check(err)
	defer answer.Body.Close()
	io.Copy(io.Discard, answer.Body)
	if !strings.HasPrefix(answer.Status, args[0]+" ") {
		ts.Fatalf("%s: %s", args[1], answer.Status)
	}
	ts.Setenv("ID", answer.Header.Get("Weir-Decision"))
}
