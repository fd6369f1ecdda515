package redisstore

import (
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/weirhq/weir"
)

// A key's name is weir:{identity}:layer:limit. The hash tag puts all states of an
// identity into one slot of a cluster. Parts are escaped so that no two keys have
// one name: "%" begins an escape, %XX a byte that would be read as something
// else, "%" alone an empty part, "%h" the hash of a long one. A colon needs an
// escape in the layer alone: braces end the identity, and the limit is last.

// maxPart is how long a part is written out, in bytes; what is longer is hashed.
const maxPart = 128

func (s *Store) name(k *weir.Key) string {
	return s.prefix + ":{" + written(k.Identity) + "}:" + strings.ReplaceAll(written(k.Layer), ":", "%3A") + ":" + written(k.Limit)
}

// markerName is where a refund of the decision notes that it happened: in the
// slot of the key it is about. nth counts the decision's charges of one key.
func (s *Store) markerName(k *weir.Key, id weir.ID, nth int) string {
	name := s.name(k) + ":%r" + id.String()
	if nth > 0 {
		name += "." + strconv.Itoa(nth)
	}
	return name
}

func written(text string) string {
	switch {
	case text == "":
		return "%"
	case len(text) > maxPart:
		sum := sha256.Sum256([]byte(text))
		return "%h" + base64.RawURLEncoding.EncodeToString(sum[:])
	}
	for i := range len(text) {
		if special(text[i]) {
			return escape(text)
		}
	}
	return text
}

func special(c byte) bool {
	return c <= ' ' || c >= 0x7f || c == '{' || c == '}' || c == '%'
}

func escape(text string) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		if !special(c) {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(digits[c>>4])
		b.WriteByte(digits[c&15])
	}
	return b.String()
}
