package policy

import (
	"net/http"
	"slices"
	"strings"
)

// by is what a layer counts by, without the route, which is part of the limit's
// name.
type by struct {
	parts  []part
	client bool // one of the parts is client
	route  bool
}

// part is one component of an identity.
type part struct {
	kind   string // a word of byWords
	header string // canonical
	secret bool   // its value is a credential
}

// byWords are what can stand in by; header:NAME too.
var byWords = []string{"ip", "client", "route", "method", "host", "all"}

// by checks and compiles what a layer counts by.
func (k *compiler) by(path string, l *Layer) by {
	var b by
	if len(l.By) == 0 {
		k.fail(path, "write by: ip, by: client, or a list such as [client, route]", "%s: by is missing", l.title())
	}
	for i, word := range l.By {
		at := inList(path, i)
		if slices.Contains(l.By[:i], word) {
			k.fail(at, "keep one of them", "%q twice", word)
		}
		b.add(k, at, word)
	}
	if len(l.By) > 1 && slices.Contains(l.By, "all") && len(b.parts) > 1 {
		k.fail(path, "remove it", "all beside others changes nothing")
	}
	if len(b.parts) == 0 {
		b.parts = []part{{kind: "all"}} // by route alone
	}
	return b
}

func (b *by) add(k *compiler, path, word string) {
	header, isHeader := strings.CutPrefix(word, headerPrefix)
	switch {
	case isHeader && isToken(header):
		k.sent(path, header, "write by: host")
		name := http.CanonicalHeaderKey(header)
		b.parts = append(b.parts, part{kind: "header", header: name, secret: isCredential(name)})
	case word == "route":
		b.route = true
	case slices.Contains(byWords, word):
		b.parts = append(b.parts, part{kind: word})
		b.client = b.client || word == "client"
	case word == "path":
		k.fail(path, "write route, and the patterns under routes or match.path", "by path would give a fresh bucket to every path that a caller invents")
	default:
		k.fail(path, byHint(word), "by %q", word)
	}
}

func byHint(word string) string {
	if word == "key" || word == "api_key" || word == "apikey" || word == "user" {
		return "did you mean client?"
	}
	return choice(word, append(slices.Clone(byWords), "header:NAME"))
}

// isCredential guesses from a header's name that its value must not be readable
// in keys and logs.
func isCredential(header string) bool {
	header = strings.ToLower(header)
	return slices.ContainsFunc([]string{"auth", "cookie", "key", "token", "secret", "session", "password", "credential", "signature"},
		func(word string) bool { return strings.Contains(header, word) })
}
