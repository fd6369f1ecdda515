// Package credential makes keys of credentials, so that none can be read in a
// store, a log or an answer. Every package that counts by credential makes the
// same key of the same one.
package credential

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
)

const prefix = "key:"

// Key is "key:" and 128 bits of the credential's HMAC-SHA256, as 22 characters of
// base64url; without a secret, of its SHA-256.
func Key(secret []byte, credential string) string {
	var key [len(prefix) + 22]byte
	return string(base64.RawURLEncoding.AppendEncode(append(key[:0], prefix...), digest(secret, credential)[:16]))
}

func digest(secret []byte, credential string) []byte {
	if len(secret) == 0 {
		sum := sha256.Sum256([]byte(credential))
		return sum[:]
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(credential))
	return mac.Sum(nil)
}

// KnownKey is the key of the one value of a field, or "" where there is none,
// more than one, or one that is not known.
func KnownKey(values []string, known func(string) bool, secret []byte) string {
	if len(values) != 1 || values[0] == "" || !known(values[0]) {
		return ""
	}
	return Key(secret, values[0])
}
