package weir

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
)

// ID names one decision. It is random, so that any number of processes make them
// apart; it is no secret. The zero ID is none.
type ID uint64

// NewID makes an ID.
func NewID() ID { return ID(rand.Uint64() | 1) }

// String is 16 hexadecimal digits.
func (id ID) String() string {
	var raw [8]byte
	binary.BigEndian.PutUint64(raw[:], uint64(id))
	return hex.EncodeToString(raw[:])
}

// ParseID is the inverse of [ID.String].
func ParseID(text string) (ID, error) {
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) != 8 {
		return 0, fmt.Errorf("weir: %q is not a decision id: it has 16 hexadecimal digits", text)
	}
	return ID(binary.BigEndian.Uint64(raw)), nil
}
