package httplimit

import (
	"net/http"
	"net/textproto"

	"github.com/weirhq/weir/internal/credential"
)

// AnyValue believes every value. Whoever invents a value for each request then
// gets a fresh limit for each: there should be a limit by address around it.
func AnyValue(string) bool { return true }

// ByHeader counts by the value of a header such as X-API-Key. A value that is not
// known counts as none, so that invented ones give no fresh limits: fall back to
// the address with [FirstOf]. So does a header that stands there twice. The key
// is the value's [Hash], with the secret, which may be nil.
//
//	httplimit.FirstOf(httplimit.ByHeader("X-API-Key", keys.Valid, secret), httplimit.ByIP())
//
// known runs before the limit, for requests that will be refused too: it looks
// up a table rather than a database.
func ByHeader(name string, known func(value string) bool, secret []byte) KeyFunc {
	if known == nil {
		panic("httplimit: ByHeader: nil says which values are known; AnyValue believes them all")
	}
	name = textproto.CanonicalMIMEHeaderKey(name)
	hasher := credential.NewHasher(secret)
	return func(r *http.Request) (string, error) {
		return credential.KnownKey(r.Header[name], known, hasher), nil
	}
}

// ByBearer is [ByHeader] for the token of Authorization: Bearer (RFC 6750).
func ByBearer(known func(token string) bool, secret []byte) KeyFunc {
	if known == nil {
		panic("httplimit: ByBearer: nil says which tokens are known; AnyValue believes them all")
	}
	hasher := credential.NewHasher(secret)
	return func(r *http.Request) (string, error) {
		return credential.KnownKey(credential.Bearer(r.Header["Authorization"]), known, hasher), nil
	}
}

// Hash makes a key of a credential, "key:" and 128 bits of its HMAC-SHA256, that
// may be seen in a store or a log; a policy with the same secret makes the same.
// Without a secret it is plain SHA-256, which suffices for credentials that
// nobody can guess. Processes that share a store need the same secret.
func Hash(secret []byte, text string) string { return credential.NewHasher(secret).Key(text) }
