package policy

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// sameAgain: the canonical form reads back as the same configuration, and is its
// own canonical form.
func sameAgain(t testing.TB, c *Config) {
	t.Helper()
	text := c.Canonical()
	again, err := Parse("canonical.yaml", text)
	if err != nil {
		t.Fatalf("the canonical form is refused: %v\n%s", err, text)
	}
	if twice := again.Canonical(); string(twice) != string(text) {
		t.Errorf("the canonical form of\n%s\nis\n%s", text, twice)
	}
	x, y := *c, *again
	x.source, y.source = source{}, source{}
	if !reflect.DeepEqual(x, y) {
		t.Errorf("another configuration:\n%+v\n%+v\nby\n%s", x, y, text)
	}
}

// FuzzParse: an error with a position inside the file, or a configuration that
// its canonical form gives back. Never a panic, and never a policy that counts
// nothing for want of layers.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/policies/*.yaml")
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	for _, c := range mistakes {
		if len(c.src) < 1000 { // a long seed is minimized for minutes
			f.Add([]byte(c.src))
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		c, err := Parse("weir.yaml", src)
		if err != nil {
			insideFile(t, src, err)
			return
		}
		if len(c.Layers) == 0 {
			t.Error("no layers, and no error")
		}
		sameAgain(t, c)
		p, _, err := c.Compile(Options{ReadFile: func(string) ([]byte, error) { return []byte("k1: free"), nil }})
		if err == nil {
			p.Explain(&Attributes{Path: "/a", Cost: 1})
		}
	})
}

func insideFile(t *testing.T, src []byte, err error) {
	t.Helper()
	lines := strings.Count(string(src), "\n") + strings.Count(string(src), "\r") + strings.Count(string(src), "\u0085") + strings.Count(string(src), "\u2028") + strings.Count(string(src), "\u2029") + 2
	last := ConfigError{}
	for _, e := range err.(*ConfigErrors).Errors {
		if e.File != "weir.yaml" || e.Line < 1 || e.Line > lines || e.Col < 1 || e.Message == "" {
			t.Errorf("no place in the file: %+v", e)
		}
		if e.Line < last.Line || e.Line == last.Line && e.Col < last.Col {
			t.Errorf("not in the order of the file: %v after %v", e, last)
		}
		last = e
	}
}

// Redacted shows no secret, and leaves the configuration as it was.
func TestRedacted(t *testing.T) {
	src := `
store: redis://user:hunter2@10.0.0.1:6379
secret: the-secret-of-all
allow: key:ops-key
deny: [key:bad-key, 192.0.2.1]
plans: {free: 60/min}
clients: {plan: {k-one: free, k-two: free}}
layers:
  - {name: a, by: ip, limit: 1/s, allow: key:vip-key, deny: key:vile-key, match: {header: {X-Internal-Token: t0ken, X-Tier: gold}}}
`
	c := mustParse(t, src)
	before := string(c.Canonical())
	shown := string(c.Redacted().Canonical())
	for _, secret := range []string{"hunter2", "the-secret", "ops-key", "bad-key", "k-one", "k-two", "vip-key", "vile-key", "t0ken"} {
		if strings.Contains(shown, secret) {
			t.Errorf("%s is shown in\n%s", secret, shown)
		}
		if !strings.Contains(before, secret) {
			t.Errorf("the test does not hold %s", secret)
		}
	}
	for _, text := range []string{"redis://user:redacted@10.0.0.1:6379", "192.0.2.1", "gold", "redacted-2: free"} {
		if !strings.Contains(shown, text) {
			t.Errorf("%s is not shown in\n%s", text, shown)
		}
	}
	if after := string(c.Canonical()); after != before {
		t.Errorf("the configuration changed:\n%s", after)
	}
}
