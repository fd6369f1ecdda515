// Package redisstore is the store for many machines: any number of processes on
// one Redis, Redis Cluster or Valkey decide as one process in memory would, each
// request by one EVALSHA per hash slot that reads, decides and writes atomically.
//
//	client, err := rueidis.NewClient(redisstore.ClientOptions("127.0.0.1:6379"))
//	store, err := redisstore.New(client)
//	limiter, err := weir.New(weir.PerMinute(100), weir.WithStore(store))
//
// # Time
//
// The instant of a decision is the server's own TIME, read once in the script:
// clocks of applications never matter. Every key has a lifetime that ends when
// its state says nothing any more, plus a margin (see [WithMargin]).
//
// # Errors
//
// An error means that no decision was made, or that none is known: a call whose
// reply was lost may have charged. It is never repeated blindly, so that a
// request is charged at most once. A script the server has lost is loaded again
// without anyone noticing.
//
// # Concurrency
//
// A Store may be used from many goroutines; their calls share round trips. The
// number in flight is bounded, so that a silent server cannot pile them up.
package redisstore
