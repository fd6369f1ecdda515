package policy

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// redacted stands for what must not be shown.
const redacted = "redacted"

// Redacted is a copy to show: the secret, the store's password and all API keys
// are replaced. It decides nothing right.
func (c *Config) Redacted() *Config {
	shown := *c
	if c.Secret != "" {
		shown.Secret = redacted
	}
	shown.Store = redactURL(c.Store)
	shown.Clients.Plan = slices.Clone(c.Clients.Plan)
	for i := range shown.Clients.Plan {
		shown.Clients.Plan[i].Key = fmt.Sprintf("%s-%d", redacted, i+1)
	}
	shown.Allow, shown.Deny = redactCallers(c.Allow), redactCallers(c.Deny)
	shown.Layers = slices.Clone(c.Layers)
	for i := range shown.Layers {
		l := &shown.Layers[i]
		l.Allow, l.Deny = redactCallers(l.Allow), redactCallers(l.Deny)
		l.Match.Header = redactHeaders(l.Match.Header)
	}
	return &shown
}

func redactCallers(list List) List {
	list = slices.Clone(list)
	for i, text := range list {
		if strings.HasPrefix(text, keyPrefix) {
			list[i] = keyPrefix + redacted
		}
	}
	return list
}

func redactHeaders(headers Map[List]) Map[List] {
	headers = slices.Clone(headers)
	for i := range headers {
		if isCredential(headers[i].Key) {
			headers[i].Value = List{redacted}
		}
	}
	return headers
}

// redactURL drops the password, and whatever else stands before the host.
func redactURL(text string) string {
	scheme, after, found := strings.Cut(text, "://")
	at := strings.LastIndexByte(after, '@')
	if !found || at < 0 {
		return text
	}
	user, _, _ := strings.Cut(after[:at], ":")
	return scheme + "://" + url.PathEscape(user) + ":" + redacted + after[at:]
}
