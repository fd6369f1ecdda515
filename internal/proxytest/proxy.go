package proxytest

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Config copies a configuration file, with replacements made: pairs of what is
// there and what is to be there instead. That something is not there fails the
// test, for then the file has changed under it. It returns the copy's name.
func Config(t testing.TB, file string, replacements ...string) string {
	t.Helper()
	bytes, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(replacements); i += 2 {
		if !strings.Contains(string(bytes), replacements[i]) {
			t.Fatalf("%s does not say %q", file, replacements[i])
		}
	}
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil { // a server that root starts reads it as somebody else
		t.Fatal(err)
	}
	copied := filepath.Join(dir, filepath.Base(file))
	// One pass, so that no address that came in is replaced in turn.
	text := strings.NewReplacer(replacements...).Replace(string(bytes))
	if err := os.WriteFile(copied, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return copied
}

// StartProxy starts a program in the foreground and waits until something answers
// at the address.
func StartProxy(t testing.TB, listen, name string, args ...string) {
	t.Helper()
	StartProxyIn(t, "", listen, name, args...)
}

// StartProxyIn is StartProxy in a folder, for a program that looks for files there.
func StartProxyIn(t testing.TB, dir, listen, name string, args ...string) {
	t.Helper()
	p := start(t, dir, name, args...)
	// Killed outright a proxy may leave its workers behind, so it is asked first.
	t.Cleanup(func() { p.terminate() })
	until(t, 10*time.Second, func() bool { return listens(listen) }, name+" answers at "+listen)
}

func listens(addr string) bool {
	c, err := net.DialTimeout("tcp", addr, time.Second)
	if err == nil {
		c.Close()
	}
	return err == nil
}
