package clientip

import "fmt"

// Outcome says how [Resolver.Resolve] came to its answer: count it, because
// [Ignored] and [Junk] are how a wrong set-up shows.
type Outcome uint8

const (
	// Direct: the peer is the client, and no header was given or believed.
	Direct Outcome = iota
	// Ignored: the peer is the client; it sent the believed header but is not
	// trusted. A forger, or a proxy missing from [Resolver.Trusted].
	Ignored
	// Absent: the peer is trusted and sent no header, so it is the client, as
	// for a health check.
	Absent
	// Found: the client is the nearest address that is not trusted.
	Found
	// AllTrusted: every address is trusted; the client is the farthest.
	AllTrusted
	// Junk: something that is not an address, or more than [MaxHops] or
	// [MaxBytes], ended the walk; the client is the last good hop before it,
	// at worst the peer.
	Junk
)

var outcomes = [...]string{
	Direct:     "direct",
	Ignored:    "ignored",
	Absent:     "absent",
	Found:      "found",
	AllTrusted: "all_trusted",
	Junk:       "junk",
}

// String is the outcome as a metric label: "direct", "ignored", "absent",
// "found", "all_trusted" or "junk"; a value outside the constants gives
// "outcome(N)".
func (o Outcome) String() string {
	if int(o) >= len(outcomes) {
		return fmt.Sprintf("outcome(%d)", uint8(o))
	}
	return outcomes[o]
}
