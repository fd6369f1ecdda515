package clientip

import (
	"fmt"
	"strings"
)

// Source is the one forwarding header that is believed, when a trusted peer
// sends it. All other look-alikes are ignored: a proxy that sets one header
// passes the client's own copy of the others through. The zero value is [None].
type Source uint8

const (
	// None believes no header: the peer is the client.
	None Source = iota
	// XForwardedFor is a list of addresses to which each proxy appends its
	// peer, by convention of Squid: "client, proxy1, proxy2".
	XForwardedFor
	// Forwarded is the list of RFC 7239; its for= parameters are used.
	Forwarded
	// XRealIP is one address that the proxy sets, as nginx does. The same
	// rules serve any header of that shape (CF-Connecting-IP, True-Client-IP):
	// pass its lines to [Resolver.Resolve] in place of X-Real-IP's.
	XRealIP
)

var sources = [...]struct{ text, header string }{
	None:          {text: "none"},
	XForwardedFor: {text: "x-forwarded-for", header: "X-Forwarded-For"},
	Forwarded:     {text: "forwarded", header: "Forwarded"},
	XRealIP:       {text: "x-real-ip", header: "X-Real-Ip"},
}

// SourceError reports a text that names no [Source].
type SourceError struct {
	// Text is the refused text as it was given.
	Text string
}

// Error names the text and what it could have been.
func (e *SourceError) Error() string {
	return fmt.Sprintf("clientip: header %q: want none, x-forwarded-for, forwarded or x-real-ip", e.Text)
}

// ParseSource reads the name of a source in any letter case, as header names
// are: "none", "x-forwarded-for", "forwarded", "x-real-ip". The empty text is
// refused, so that a default is chosen by the caller and not by a slip.
// The error is a *[SourceError].
func ParseSource(text string) (Source, error) {
	for source, names := range sources {
		if strings.EqualFold(text, names.text) {
			return Source(source), nil
		}
	}
	return None, &SourceError{Text: text}
}

// String is the name that [ParseSource] reads, in lower case; a value outside
// the constants gives "source(N)".
func (s Source) String() string {
	if int(s) >= len(sources) {
		return fmt.Sprintf("source(%d)", uint8(s))
	}
	return sources[s].text
}

// Name is the header's key in an [net/http.Header] map, such as "X-Real-Ip".
// It is empty, a key no request has, for [None] and outside the constants.
func (s Source) Name() string {
	if int(s) >= len(sources) {
		return ""
	}
	return sources[s].header
}
