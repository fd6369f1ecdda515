package weir

import "testing"

// Each of a key's two hashes alone tells apart keys that hold the same texts in
// other places: a seed used for two parts would leave the other hash to do it.
func TestHashesOfSwappedParts(t *testing.T) {
	store := NewMemoryStore(MemoryOptions{})
	defer store.Close()
	texts := []string{"", "a", "b", "a:b"}
	seen := [2]map[uint64]Key{{}, {}}
	for _, layer := range texts {
		for _, limit := range texts {
			for _, identity := range texts {
				key := Key{Layer: layer, Limit: limit, Identity: identity}
				for i, word := range store.hash(&key) {
					if other, met := seen[i][word]; met {
						t.Errorf("hash %d of %+v is that of %+v", i, key, other)
					}
					seen[i][word] = key
				}
			}
		}
	}
}
