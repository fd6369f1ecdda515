package weir

import (
	"testing"

	"github.com/weirhq/weir/internal/memory"
)

// Keys that hold the same texts in other places are different keys.
func TestHashesOfSwappedParts(t *testing.T) {
	store := NewMemoryStore(MemoryOptions{})
	defer store.Close()
	texts := []string{"", "a", "b", "a:b"}
	seen := map[memory.Key]Key{}
	for _, layer := range texts {
		for _, limit := range texts {
			for _, identity := range texts {
				key := Key{Layer: layer, Limit: limit, Identity: identity}
				hash := store.key(&key)
				if other, met := seen[hash]; met {
					t.Errorf("the hash of %+v is that of %+v", key, other)
				}
				seen[hash] = key
			}
		}
	}
}
