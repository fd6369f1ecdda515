package policy

import (
	"net/url"
	"strings"
)

// storeSchemes are the stores and how their URLs are written.
var storeSchemes = []struct{ scheme, form string }{
	{"memory", "memory:"},
	{"redis", "redis://[user:pass@]host:port[/db]"},
	{"rediss", "rediss://[user:pass@]host:port[/db]"},
	{"redis+sentinel", "redis+sentinel://host:port,host:port/master"},
	{"redis+cluster", "redis+cluster://host:port,host:port"},
	{"unix", "unix:///path"},
}

// store checks the shape of the store's URL. Messages repeat no part of it but
// the scheme: it may hold a password.
func (k *compiler) store() {
	if k.c.Store == "" {
		return
	}
	scheme, _, found := strings.Cut(k.c.Store, ":")
	known := make([]string, len(storeSchemes))
	for i, s := range storeSchemes {
		known[i] = s.scheme
		if found && s.scheme == scheme && !validStore(scheme, k.c.Store) {
			k.fail("store", "write "+s.form, "store is not a URL of a %s store", scheme)
		}
		if s.scheme == scheme && found {
			return
		}
	}
	if !found || strings.Contains(scheme, ".") || scheme == "localhost" {
		k.fail("store", "write memory: or redis://host:port", "store has no scheme")
		return
	}
	k.fail("store", choice(scheme, known), "store has an unknown scheme %q", scheme)
}

func validStore(scheme, text string) bool {
	if scheme == "memory" {
		return text == "memory:"
	}
	// A list of hosts is no URL: one of them stands for all.
	plain := text
	if scheme == "redis+sentinel" || scheme == "redis+cluster" {
		plain = firstHost(text)
	}
	u, err := url.Parse(plain)
	if err != nil || u.Opaque != "" {
		return false
	}
	switch scheme {
	case "unix":
		return u.Host == "" && len(u.Path) > 1
	case "redis+sentinel":
		return u.Host != "" && len(u.Path) > 1
	}
	return u.Hostname() != ""
}

// firstHost drops all hosts but the first.
func firstHost(text string) string {
	comma := strings.IndexByte(text, ',')
	if comma < 0 {
		return text
	}
	after := text[comma:]
	slash := strings.IndexByte(after, '/')
	if slash < 0 {
		return text[:comma]
	}
	return text[:comma] + after[slash:]
}
