package grpclimit

import "context"

// KeyFunc says whose call it is; the method is "/package.Service/Method". An
// empty key is a caller that is not known: it is refused with PERMISSION_DENIED,
// or passes uncounted where [WithUnknownUncounted] says so, and never shares a
// state with others of its kind. An error means that the caller could not be
// told: the call gets UNAVAILABLE, and passes in no case.
//
// A key may appear in the store in the clear. What is a credential goes through
// [ByMetadata], [ByBearer] or [Hash].
type KeyFunc func(ctx context.Context, method string) (string, error)

// FirstOf asks one after another for the first key that is not empty, such as an
// API key and else the address. An error ends the search.
func FirstOf(keys ...KeyFunc) KeyFunc {
	for _, key := range keys {
		if key == nil {
			panic("grpclimit: FirstOf: a key function is nil")
		}
	}
	return func(ctx context.Context, method string) (string, error) {
		for _, key := range keys {
			if text, err := key(ctx, method); text != "" || err != nil {
				return text, err
			}
		}
		return "", nil
	}
}
