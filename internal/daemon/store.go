package daemon

import (
	"strings"

	"github.com/weirhq/weir"
)

// openStore opens the store that a URL names. The error repeats no more of the
// URL than its scheme: it may hold a password.
func openStore(url string, maxKeys int64) (*weir.MemoryStore, error) {
	if url == "" || url == "memory:" {
		return weir.NewMemoryStore(weir.MemoryOptions{MaxKeys: int(maxKeys)}), nil
	}
	scheme, _, found := strings.Cut(url, ":")
	if !found || scheme == "memory" {
		return nil, usage("the store is not a URL: write memory:")
	}
	return nil, usage("there is no store for %q in this version: write memory:", scheme+":")
}
