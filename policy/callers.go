package policy

import (
	"strings"

	"github.com/weirhq/weir/clientip"
)

// callers is a list of addresses and API keys. The zero value holds nobody.
type callers struct {
	addresses clientip.Prefixes
	keys      map[string]bool
}

// keyPrefix marks an API key in a list of callers.
const keyPrefix = "key:"

func newCallers(texts []string) callers {
	var c callers
	var addresses []string
	for _, text := range texts {
		key, isKey := strings.CutPrefix(text, keyPrefix)
		if !isKey {
			addresses = append(addresses, text)
			continue
		}
		if c.keys == nil {
			c.keys = map[string]bool{}
		}
		c.keys[key] = true
	}
	c.addresses, _ = clientip.ParsePrefixes(addresses) // each was checked on its own
	return c
}

// hold reports whether the request's caller is on the list.
func (c *callers) hold(r *request) bool {
	if c.addresses.Contains(r.a.IP) {
		return true
	}
	if c.keys == nil {
		return false
	}
	key, ok := r.key()
	return ok && c.keys[key]
}
