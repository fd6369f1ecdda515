// Package descriptor decides requests that name themselves by descriptors, lists
// of key and value, as Envoy sends them. It reads the configuration language of
// envoyproxy/ratelimit, and what it decides are checks on a weir.Store like any
// other.
//
//	set, warnings, err := descriptor.Load([]descriptor.File{{Name: "shop.yaml", Text: text}})
//	...
//	answer, err := set.Decide(ctx, store, &descriptor.Request{
//		Domain:      "shop",
//		Descriptors: []descriptor.Descriptor{{Entries: []descriptor.Entry{{"user", "ann"}}, Hits: 1}},
//	})
//
// A rate_limit that names no algorithm is a fixed window that counts refused
// requests too, as there; with algorithm: it is weir's.
//
// # Errors
//
// Load returns strictyaml.Problems, all that is wrong with all files. Decide
// returns the store's error: no decision was made.
//
// # Concurrency
//
// A Set is immutable. A reload makes a new one.
package descriptor
