package credential

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"hash"
	"sync"
)

// Hasher turns credentials into text that does not show them: HMAC-SHA256 with
// the secret, cut to 128 bits, in 22 characters of base64url. It is used from many
// goroutines at once. That two of 10⁹ callers meet has a
// chance of about 10⁻²¹.
type Hasher struct {
	states sync.Pool // of *hashState
}

// hashState is reused: making an HMAC allocates, resetting one does not.
type hashState struct {
	hash hash.Hash
	buf  []byte
}

const (
	// HashBytes is the length of a hash.
	HashBytes = 16
	// HashLen is that of its text.
	HashLen = 22
)

// NewHasher uses plain SHA-256 without a secret, so that processes that share a
// store still agree on every identity.
func NewHasher(secret []byte) *Hasher {
	secret = append([]byte(nil), secret...)
	h := new(Hasher)
	h.states.New = func() any {
		if len(secret) == 0 {
			return &hashState{hash: sha256.New()}
		}
		return &hashState{hash: hmac.New(sha256.New, secret)}
	}
	return h
}

// Append appends the hash of text to dst.
func (h *Hasher) Append(dst []byte, text string) []byte {
	s := h.states.Get().(*hashState)
	defer h.states.Put(s)
	s.hash.Reset()
	s.buf = append(s.buf[:0], text...)
	s.hash.Write(s.buf)
	clear(s.buf) // it was a credential
	s.buf = s.hash.Sum(s.buf[:0])
	return base64.RawURLEncoding.AppendEncode(dst, s.buf[:HashBytes])
}

const prefix = "key:"

// Key is "key:" and the credential's hash: the identity that it is counted by.
func (h *Hasher) Key(credential string) string {
	var key [len(prefix) + HashLen]byte
	return string(h.Append(append(key[:0], prefix...), credential))
}
