// Package grpclimit puts a limit in front of gRPC methods.
//
//	limiter, err := weir.New(weir.PerMinute(100), weir.WithBurst(20))
//	if err != nil {
//		return err
//	}
//	limit := grpclimit.New(limiter, grpclimit.ByPeer())
//	server := grpc.NewServer(grpc.UnaryInterceptor(limit.Unary()), grpc.StreamInterceptor(limit.Stream()))
//
// A stream is charged once, when it opens, or for each message that the client
// sends on it: see [WithPerMessage].
//
// # Time
//
// RetryInfo tells the wait to the microsecond. The metadata grpc-retry-pushback-ms
// (gRFC A6) says the same to clients that retry by themselves: those of gRPC wait
// that long where their service config lists RESOURCE_EXHAUSTED as retryable. A
// client that waits what it is told, and comes alone, is admitted.
//
// # Errors
//
//	RESOURCE_EXHAUSTED  refused by the limit, with RetryInfo and QuotaFailure
//	PERMISSION_DENIED   the caller is not known
//	UNAVAILABLE         no decision could be made
//	INVALID_ARGUMENT    the cost is negative
//
// Clients get a fixed sentence; causes go to [WithReport]. [New] panics on what
// cannot work; nothing panics later.
//
// # Concurrency
//
// An Interceptor is immutable, starts no goroutine and holds no lock while a
// handler runs.
package grpclimit
