package proxytest

import (
	"fmt"
	"testing"
	"time"
)

// Promises are what a page in docs/proxies says of its proxy.
type Promises struct {
	Allowed AllowedHeaders // what answers carry that weir allowed
	Body    RefusedBody    // what a refusal's body says
	Open    bool           // requests pass while weir is stopped or hung; otherwise they get 503

	// Undecided says that requests pass too where weir answers that it has no
	// decision and that this means no; otherwise they get its 503.
	Undecided bool

	// HTTP11 says that the proxy does not speak HTTP/1.0.
	HTTP11 bool

	// Early says that a request is refused before its body is there.
	Early bool

	// Connections is how many to weir the proxy needs for one client; 0 means 1.
	Connections int
}

// AllowedHeaders are header fields that answers carry beside the upstream's own.
type AllowedHeaders []string

// RateHeaders are all that weir gives.
var RateHeaders = AllowedHeaders{"Weir-Decision", "X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Reset", "Ratelimit", "Ratelimit-Policy"}

// RefusedBody says whose body a refusal has.
type RefusedBody bool

const (
	FixedBody RefusedBody = false // the proxy's, a problem without details
	WeirBody  RefusedBody = true  // weir's own, with violated-policies
)

// within is what a request may cost in time while weir does not answer.
const within = 300 * time.Millisecond

// Test keeps the proxy that listens at an address to the promises of what it does
// with weir's answers. They must come in time, so a proxy under this test waits for
// them longer than its file says: a machine that is busy may need it.
func (p Promises) Test(t *testing.T, listen string, weir *Weir) {
	run(t, listen, []promise{
		{"allowed", p.allowed},
		{"refused", p.refused},
		{"method", method},
		{"URI", uri},
		{"whole URI", wholeURI},
		{"no Host", p.noHost},
		{"websocket", websocket},
		{"tunnel", tunnel},
		{"heavy", heavy},
		{"odd", odd},
		{"address", func(t *testing.T, c *Client) { address(t, c, NewClient(t, "127.0.8.1", listen)) }},
		{"API key", apiKey},
		{"listed", func(t *testing.T, _ *Client) { listed(t, NewClient(t, "127.0.9.1", listen)) }},
		{"spoofed", func(t *testing.T, c *Client) { spoofed(t, c, NewClient(t, "127.0.8.2", listen)) }},
		{"reuse", func(t *testing.T, c *Client) { p.reuse(t, c, weir) }},
		{"undecided", func(t *testing.T, c *Client) { p.undecided(t, c, weir) }},
	})
}

// TestSilence keeps the proxy, with its file as it is, to what it promises while
// weir hangs, is stopped, and is back.
func (p Promises) TestSilence(t *testing.T, listen string, weir *Weir) {
	run(t, listen, []promise{
		{"hung", func(t *testing.T, c *Client) {
			weir.Pause()
			p.without(t, c)
			weir.Resume()
			recovers(t, c)
		}},
		{"stopped", func(t *testing.T, c *Client) {
			weir.Stop()
			p.without(t, c)
			weir.Start()
			recovers(t, c)
		}},
	})
}

type promise struct {
	name string
	test func(*testing.T, *Client)
}

// run tests each promise with a client at an address of its own.
func run(t *testing.T, listen string, promises []promise) {
	for i, one := range promises {
		t.Run(one.name, func(t *testing.T) { one.test(t, NewClient(t, fmt.Sprintf("127.0.7.%d", i+1), listen)) })
	}
}
