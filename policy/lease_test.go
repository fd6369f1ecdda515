package policy

import (
	"strings"
	"testing"
)

// A limit has the lease of its layer where that fits it, its own, or none. The
// canonical form says so.
func TestLease(t *testing.T) {
	for _, c := range []struct {
		name, layer string
		lease       int64 // requests
		written     string
	}{
		{"none by default", "limit: 1000/min", 0, ""},
		{"of the layer", "limit: 1000/min, lease: 5%", 50, "lease: 5%"},
		{"of the burst", "limit: {limit: 1000/min, burst: 30}, lease: 5%", 2, "lease: 5%"},
		{"of the limit", "limit: {limit: 1000/min, lease: 50%}, lease: 5%", 500, "lease: 50%"},
		{"off", "limit: {limit: 1000/min, lease: off}, lease: 5%", 0, "lease: off"},
		{"one that does not fit", "limit: 20/min, lease: 5%", 0, "lease: 5%"},
		{"of a layer with a log", "limit: 1000/min, algorithm: sliding-log, lease: 5%", 0, "lease: 5%"},
		{"of a blocked layer", "limit: blocked, lease: 5%", 0, "lease: 5%"},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := "layers: [{name: a, by: ip, " + c.layer + "}]"
			a := Attributes{IP: ip1, Cost: 1}
			checks, _ := mustCompile(t, src).Resolve(&a, nil)
			if got := checks[0].Limit.Lease(); got != c.lease {
				t.Errorf("%d, want %d", got, c.lease)
			}
			config := mustParse(t, src)
			if text := string(config.Canonical()); !strings.Contains(text, c.written) {
				t.Errorf("written as\n%s", text)
			}
			sameAgain(t, config)
		})
	}
}

// A lease that nobody ever takes was meant for somebody.
func TestLeaseWarnings(t *testing.T) {
	for src, want := range map[string]string{
		"layers: [{name: a, by: ip, limit: 20/min, lease: 5%}]":                                                 "layer a has no limit that is large enough for a lease",
		"layers: [{name: a, by: ip, limit: 1000/min}, {name: b, by: ip, limit: 1000/min, lease: 5%}]":           "layer a has no lease, so every request that it counts is asked for",
		"layers: [{name: a, by: ip, limit: 1000/min, lease: 5%}, {name: b, by: ip, limit: 1000/h, lease: 5%}]":  "",
		"layers: [{name: a, by: ip, limit: 1/s, match: {path: /x}}, {name: b, by: ip, limit: 99/s, lease: 5%}]": "",
	} {
		_, warnings, err := mustParse(t, src).Compile(Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, w := range warnings {
			got += w.Message
		}
		if got != want {
			t.Errorf("%s: %q, want %q", src, got, want)
		}
	}
}
