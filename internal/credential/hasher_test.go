package credential

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"testing"
)

// The hash is HMAC-SHA256 with the secret, and plain SHA-256 without.
func TestHash(t *testing.T) {
	for _, secret := range []string{"", "s", strings.Repeat("long", 100)} {
		h := NewHasher([]byte(secret))
		for range 3 {
			for _, text := range []string{"", "k1", strings.Repeat("k", 1000)} {
				sum := sha256.Sum256([]byte(text))
				want := sum[:16]
				if secret != "" {
					mac := hmac.New(sha256.New, []byte(secret))
					mac.Write([]byte(text))
					want = mac.Sum(nil)[:16]
				}
				if got := string(h.Append(nil, text)); got != base64.RawURLEncoding.EncodeToString(want) || len(got) != HashLen {
					t.Errorf("secret %q, text %.5q: %s", secret, text, got)
				}
			}
		}
	}
}
