package weir_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/weirhq/weir"
)

// An ID is read back from the 16 digits it is printed as.
func TestIDRoundTrip(t *testing.T) {
	ids := []weir.ID{0, 1, 0xab, math.MaxUint64, 1 << 63}
	for range 1000 {
		ids = append(ids, weir.NewID(), weir.ID(rand.Uint64()))
	}
	for _, id := range ids {
		text := id.String()
		if got, err := weir.ParseID(text); err != nil || got != id || len(text) != 16 {
			t.Errorf("%d is printed %q and read %d, %v", uint64(id), text, uint64(got), err)
		}
	}
	if got := weir.ID(0xab).String(); got != "00000000000000ab" {
		t.Errorf("printed %q", got)
	}
}

func TestIDsThatAreNone(t *testing.T) {
	for _, text := range []string{"", "0", "00000000000000a", "00000000000000abc", "00000000000000gg", "0x000000000000ab", " 0000000000000ab", "00000000000000ab00"} {
		if id, err := weir.ParseID(text); err == nil || id != 0 {
			t.Errorf("%q is %s", text, id)
		}
	}
}

// IDs are never 0, which is none, and do not repeat.
func TestNewIDs(t *testing.T) {
	seen := map[weir.ID]bool{}
	for range 100_000 {
		id := weir.NewID()
		if id == 0 || seen[id] {
			t.Fatalf("%s is none, or came twice", id)
		}
		seen[id] = true
	}
}
