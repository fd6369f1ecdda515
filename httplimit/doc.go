// Package httplimit says over HTTP what weir decided: the status, the
// rate-limit header fields and the problem body.
//
//	headers := httplimit.Headers{}
//	headers.Set(w.Header(), &decision)
//	if !decision.Allowed {
//		httplimit.Refuse(w, &decision)
//		return
//	}
//
// # Time
//
// Every time in a field comes from the decision's own instant and is in whole
// seconds, rounded up: a client that waits what it is told is admitted.
//
// # Concurrency
//
// Headers is a plain value; the functions touch only what they are given.
package httplimit
