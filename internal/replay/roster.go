package replay

import "hash/maphash"

// roster numbers identities in the order in which they come.
type roster struct {
	seed  maphash.Seed
	index index // of texts
	texts []string
	last  int32 // asked for: most layers count a request for the same identity
}

func newRoster() roster { return roster{seed: maphash.MakeSeed(), index: newIndex()} }

func (r *roster) number(identity string) int32 {
	if int(r.last) >= len(r.texts) || r.texts[r.last] != identity {
		r.last = r.look(identity)
	}
	return r.last
}

func (r *roster) look(identity string) int32 {
	hash := uint32(maphash.String(r.seed, identity))
	for probe := r.index.probe(hash); ; {
		n, more := probe.next()
		if !more {
			return r.add(hash, identity)
		}
		if r.texts[n] == identity {
			return n
		}
	}
}

func (r *roster) add(hash uint32, identity string) int32 {
	n := int32(len(r.texts))
	r.texts = append(r.texts, identity)
	r.index.add(hash, n)
	return n
}
