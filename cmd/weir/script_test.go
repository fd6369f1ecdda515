package main

import (
	"flag"
	"net"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write what the program prints into testdata/script")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"weir": main})
}

// The scripts in testdata/script are sessions with the program: what is typed, what
// comes back, and the exit code.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Setup:         withoutOurEnvironment,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":   exits,
			"listen":  listen,
			"serving": serving,
			"request": request,
		},
	})
}

// withoutOurEnvironment keeps the developer's WEIR_* out of the scripts. A program
// built with -race sleeps for a second before it ends, unless told not to.
func withoutOurEnvironment(e *testscript.Env) error {
	e.Setenv("GORACE", "atexit_sleep_ms=0")
	for i := len(e.Vars) - 1; i >= 0; i-- {
		if strings.HasPrefix(e.Vars[i], "WEIR_") {
			e.Vars = append(e.Vars[:i], e.Vars[i+1:]...)
		}
	}
	e.Setenv("WEIR_RESP", "") // its default port may be another's
	return nil
}

// exits runs weir and wants this exit code: exits CODE ARGS...
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: exits CODE ARGS...")
	}
	err := ts.Exec("weir", args[1:]...)
	code := "0"
	if failed, ok := err.(interface{ ExitCode() int }); ok {
		code = string(rune('0' + failed.ExitCode()))
	}
	if code != args[0] {
		ts.Fatalf("weir %s exits with %s, want %s", strings.Join(args[1:], " "), code, args[0])
	}
}

// listen takes a port for the rest of the script and puts its address in a
// variable: listen NAME
func listen(ts *testscript.TestScript, _ bool, args []string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { l.Close() })
	ts.Setenv(args[0], l.Addr().String())
}
