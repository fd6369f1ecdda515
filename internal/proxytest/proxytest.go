// Package proxytest tests a proxy that asks weir before it forwards: the real
// proxy from a file in docs/proxies, a real weir serve that can be stopped and
// hung, and an upstream that tells what reached it.
//
//	func TestMain(m *testing.M) { os.Exit(proxytest.Main(m)) }
//
//	func TestNginx(t *testing.T) {
//		p := proxytest.Promises{Allowed: proxytest.RateHeaders, Open: true}
//		proxytest.Run(t, "nginx", p, proxytest.Variants{Patient: ..., Closed: ...}, startNginx)
//	}
//
//	func startNginx(t *testing.T, weir *proxytest.Weir, upstream string, changes ...string) string {
//		listen := proxytest.FreeAddr(t)
//		file := proxytest.Config(t, "nginx.conf", append(changes, "127.0.0.1:8080", weir.Addr, "127.0.0.1:3000", upstream, ...)...)
//		proxytest.StartProxy(t, listen, "nginx", "-c", file)
//		return listen
//	}
//
// Everything listens on 127.0.0.1. Clients come from other addresses of
// 127.0.0.0/8, which is how a test sees whose address arrives. A part that is
// missing fails the test: scripts/install-test-deps brings it.
package proxytest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/weirhq/weir/internal/child"
)

// program is the weir that Main builds.
var program string

// Main builds weir, runs the tests, and returns the exit code.
func Main(m *testing.M) int {
	dir, err := os.MkdirTemp("", "proxytest")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "weir")
	if out, err := exec.Command("go", "build", "-o", program, "github.com/weirhq/weir/cmd/weir").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building weir: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// FreeAddr is an address on 127.0.0.1 that nothing listens on.
func FreeAddr(t testing.TB) string {
	t.Helper()
	addr, err := child.FreeAddr()
	if err != nil {
		t.Fatal(err)
	}
	return addr
}

// until waits for a condition, and fails the test where it does not come true in
// time. It polls: what it waits for happens in another process.
func until(t testing.TB, most time.Duration, condition func() bool, what string) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(most); !condition(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("not within %s: %s", most, what)
		}
	}
}
