package httplimit

import "net/http"

// KeyFunc says whose request it is. An empty key is a caller that is not known:
// it is refused with 403, or passes uncounted where [WithUnknownUncounted] says
// so, and never shares a state with others of its kind. An error means that the
// caller could not be told: the request is answered 503, in no case let pass,
// since whoever sends a credential may be able to make it.
//
// A key may appear in the store in the clear. What is a credential goes through
// [ByHeader], [ByBearer] or [Hash].
type KeyFunc func(r *http.Request) (string, error)

// FirstOf asks one after another for the first key that is not empty, such as an
// API key and else the address. An error ends the search.
func FirstOf(keys ...KeyFunc) KeyFunc {
	for _, key := range keys {
		if key == nil {
			panic("httplimit: FirstOf: a key function is nil")
		}
	}
	return func(r *http.Request) (string, error) {
		for _, key := range keys {
			if text, err := key(r); text != "" || err != nil {
				return text, err
			}
		}
		return "", nil
	}
}
