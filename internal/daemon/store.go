package daemon

import (
	"strings"

	"github.com/weirhq/weir"
)

// openStore opens the store that a URL names.
func openStore(url string) (*weir.MemoryStore, error) {
	if url == "" || url == "memory:" {
		return weir.NewMemoryStore(weir.MemoryOptions{}), nil
	}
	scheme, _, _ := strings.Cut(url, ":")
	return nil, usage("--store %s: there is no store for %q in this version; there is memory:", url, scheme)
}
