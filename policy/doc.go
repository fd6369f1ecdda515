// Package policy says which limits a request meets: layers of limits, the plans
// of callers, what is matched and what is counted by, read from one YAML file.
//
//	config, err := policy.Parse("weir.yaml", src) // err has every mistake, at FILE:LINE:COL
//	if err != nil {
//		return err
//	}
//	p, warnings, err := config.Compile(policy.Options{Secret: secret})
//	...
//	decision, err := p.Decide(ctx, store, &policy.Attributes{IP: client, Method: "GET", Path: "/search", Cost: 1})
//
// The flow goes one way: a front fills in [Attributes], [Policy.Resolve] makes
// checks of them, a [github.com/weirhq/weir.Store] decides these, and
// [github.com/weirhq/weir.Decide] folds the answers.
//
// # Identities
//
// A caller is counted by its network ("ip:203.0.113.7", "ip:2001:db8:1:2::/64")
// or by the hash of its API key ("key:…"). An API key counts where it is listed,
// or where there is no list at all; every other one is as good as none, so that
// inventing keys gives no fresh buckets. Where a layer needs an address and none
// is known, the request is refused, or skips the layer if unknown_ip says so:
// there is no bucket that such requests share. What several parts make up is
// joined with "|", each part escaped, so that no two callers meet.
//
// A route is named by its pattern, never by the path: /login, //login, /./login
// and /%6cogin are one route. Patterns are those of net/http.ServeMux and the
// same one wins, with two differences: letter case does not matter in hosts, and
// %2e is a dot. /login does not match /login/, as in ServeMux; where the server
// behind takes both, write both.
//
// # Names of states
//
// A limit is known by its name. Without one it is "default" where it is alone or
// has the longest period, and otherwise known by its period ("s", "10s"), with
// its route before it ("/search", "/search#s") and "~candidate" behind it for a
// candidate. Its count, its plan and its place in the file are no part of that:
// when they change, what was used is kept.
//
// # Time
//
// No clock is read: instants are the store's.
//
// # Errors
//
// Errors come from configuration: *[ConfigErrors]. A request is never an error;
// [Policy.Decide] passes the store's on.
//
// # Concurrency
//
// A [Policy] is immutable and used from any number of goroutines. A [Config] is
// plain data.
package policy
