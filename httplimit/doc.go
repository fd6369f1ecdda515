// Package httplimit puts a limit in front of net/http handlers, and says over HTTP
// what weir decided: the status, the rate-limit header fields, the problem body.
//
//	limiter, err := weir.New(weir.PerMinute(100), weir.WithBurst(20))
//	if err != nil {
//		return err
//	}
//	limit := httplimit.New(limiter, httplimit.ByIP())
//	return http.ListenAndServe(":8080", limit.Wrap(mux))
//
// A [Middleware] is for one limit, or for a policy of several ([NewFunc]). Behind
// a proxy the client's address is found with [Behind]; without it every client
// has the proxy's. [Headers] and [Refuse] are for whoever asks weir by hand.
//
// A request that is refused never reaches the handler. What net/http does with a
// body that nobody reads is as ever: up to 256 KiB are drained and the connection
// is kept, beyond that it is closed.
//
// # Time
//
// Every time in a field comes from the decision's own instant and is in whole
// seconds, rounded up: a client that waits what it is told is admitted.
//
// # Errors
//
// Refused by a limit is 429, a caller that is not known is 403, no decision is
// 503. Clients get a fixed sentence; causes go to [WithReport]. [New] panics on
// what cannot work; nothing panics later, but for the handler itself.
//
// # Concurrency
//
// A Middleware is immutable. It starts no goroutine and holds no lock while the
// handler runs.
package httplimit
