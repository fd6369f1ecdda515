package proxytest

import "testing"

// Start starts a proxy from its file between weir and an upstream, with these
// changes made to the file beside the addresses, and returns where it listens.
// Changes are as for [Config].
type Start func(t *testing.T, weir *Weir, upstream string, changes ...string) string

// Variants are changes that make another file of a proxy's.
type Variants struct {
	Patient []string // it waits for weir much longer
	Closed  []string // requests get 503 while weir does not answer
}

// Run keeps a proxy to the promises of its page: with a weir that answers, with one
// that does not, and with one that does not where the file is changed to fail
// closed.
func Run(t *testing.T, profile string, p Promises, v Variants, start Start) {
	runWith(t, func(t *testing.T) *Weir { return StartWeir(t, profile) }, p, v, start)
}

// RunGRPC is Run for a proxy that asks over gRPC.
func RunGRPC(t *testing.T, p Promises, v Variants, start Start) {
	runWith(t, func(t *testing.T) *Weir { return StartWeirGRPC(t) }, p, v, start)
}

func runWith(t *testing.T, startWeir func(*testing.T) *Weir, p Promises, v Variants, start Start) {
	closed := p
	closed.Open = false
	for _, one := range []struct {
		name    string
		changes []string
		test    func(*testing.T, string, *Weir)
	}{
		{"answered", v.Patient, p.Test},
		{"open", nil, p.TestSilence},
		{"closed", v.Closed, closed.TestSilence},
	} {
		t.Run(one.name, func(t *testing.T) {
			t.Parallel()
			weir, upstream := startWeir(t), StartUpstream(t)
			one.test(t, start(t, weir, upstream.Addr, one.changes...), weir)
		})
	}
}
