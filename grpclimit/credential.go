package grpclimit

import (
	"context"

	"google.golang.org/grpc/metadata"

	"github.com/weirhq/weir/internal/credential"
)

// AnyValue believes every value. Whoever invents a value for each call then gets a
// fresh limit for each: there should be a limit by address around it.
func AnyValue(string) bool { return true }

// ByMetadata counts by the value of a metadata key such as x-api-key. A value that
// is not known counts as none, so that invented ones give no fresh limits: fall
// back to the address with [FirstOf]. So does one that is there twice. The key is
// the value's [Hash], with the secret, which may be nil. known runs for calls that
// will be refused too: it looks up a table rather than a database.
func ByMetadata(name string, known func(value string) bool, secret []byte) KeyFunc {
	if known == nil {
		panic("grpclimit: ByMetadata: nil says which values are known; AnyValue believes them all")
	}
	hasher := credential.NewHasher(secret)
	return func(ctx context.Context, _ string) (string, error) {
		return credential.KnownKey(metadata.ValueFromIncomingContext(ctx, name), known, hasher), nil
	}
}

// ByBearer is [ByMetadata] for the token of authorization: Bearer (RFC 6750).
func ByBearer(known func(token string) bool, secret []byte) KeyFunc {
	if known == nil {
		panic("grpclimit: ByBearer: nil says which tokens are known; AnyValue believes them all")
	}
	hasher := credential.NewHasher(secret)
	return func(ctx context.Context, _ string) (string, error) {
		return credential.KnownKey(credential.Bearer(metadata.ValueFromIncomingContext(ctx, "authorization")), known, hasher), nil
	}
}

// Hash makes a key of a credential, "key:" and 128 bits of its HMAC-SHA256, that
// may be seen in a store or a log; httplimit and a policy with the same secret
// make the same. Without a secret it is plain SHA-256, which suffices for
// credentials that nobody can guess. Processes that share a store need the same
// secret.
func Hash(secret []byte, text string) string { return credential.NewHasher(secret).Key(text) }
