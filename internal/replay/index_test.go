package replay

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// All places of a hash are found, and no others, however many hashes there are.
func TestIndexFindsAllPlacesOfAHash(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 1))
	x := newIndex()
	want := map[uint32][]int32{}
	for place := range int32(5000) {
		hash := random.Uint32N(4000) << 12 // some twice, none with low bits
		x.add(hash, place)
		want[hash] = append(want[hash], place)
	}
	for n := range uint32(4000) {
		if got := placesOf(&x, n<<12); !slices.Equal(got, want[n<<12]) {
			t.Fatalf("%d is found at %v, want %v", n<<12, got, want[n<<12])
		}
	}
	x.clear()
	if got := placesOf(&x, 0); got != nil {
		t.Errorf("after it was cleared, 0 is found at %v", got)
	}
}

func placesOf(x *index, hash uint32) (all []int32) {
	for probe := x.probe(hash); ; {
		place, found := probe.next()
		if !found {
			slices.Sort(all)
			return all
		}
		all = append(all, place)
	}
}
