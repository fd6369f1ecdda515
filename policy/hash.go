package policy

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"hash"
	"sync"
)

// hasher turns credentials into identities: HMAC-SHA256 with the secret, cut to
// 128 bits, in 22 characters of base64url. That two of 10⁹ callers meet has a
// chance of about 10⁻²¹.
type hasher struct {
	states sync.Pool // of *hashState
}

// hashState is reused: making an HMAC allocates, resetting one does not.
type hashState struct {
	hash hash.Hash
	buf  []byte
}

const (
	hashBytes = 16
	hashLen   = 22 // characters
)

// newHasher uses plain SHA-256 without a secret, so that processes that share a
// store still agree on every identity.
func newHasher(secret []byte) *hasher {
	secret = append([]byte(nil), secret...)
	h := new(hasher)
	h.states.New = func() any {
		if len(secret) == 0 {
			return &hashState{hash: sha256.New()}
		}
		return &hashState{hash: hmac.New(sha256.New, secret)}
	}
	return h
}

// append appends the hash of text to dst.
func (h *hasher) append(dst []byte, text string) []byte {
	s := h.states.Get().(*hashState)
	defer h.states.Put(s)
	s.hash.Reset()
	s.buf = append(s.buf[:0], text...)
	s.hash.Write(s.buf)
	clear(s.buf) // it was a credential
	s.buf = s.hash.Sum(s.buf[:0])
	return base64.RawURLEncoding.AppendEncode(dst, s.buf[:hashBytes])
}
