// Package replay says what a policy would have done to the requests in access
// logs, and which limits would suit them.
//
//	report, err := replay.Run(ctx, []replay.Input{{Name: "access.log", Reader: file}}, replay.Options{Policy: p})
//	if err != nil {
//		return err
//	}
//	report.WriteText(os.Stdout)
//
// Logs are read once, from beginning to end, and their requests merged by time.
// Each is decided as the daemon decides it, by the policy on a store in memory,
// whose clock is the log's. Beside that, each limit is looked at alone: what it
// would have to be for each caller never to meet it, and what it would refuse at
// a ladder of other counts.
//
// # Time
//
// The only clock is the log's. Entries out of order are sorted within a window of
// entries; what comes later than that is decided at the instant already reached.
//
// # Errors
//
// A line is never an error, it is counted. An error is a log in which no line is
// understood (*UnknownFormatError), or a context that ended.
//
// # Memory
//
// It grows with the number of callers, not with that of lines.
package replay

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/clientip"
	"github.com/weirhq/weir/policy"
)

// Options say what to replay the logs through.
type Options struct {
	// Policy decides; required.
	Policy *policy.Policy
	// MaxKeys bounds the store, as in [weir.MemoryOptions].
	MaxKeys int
	// Format is one of [Formats]; "" is [Auto].
	Format string
}

// Run replays the logs and reports. It reads each log in a goroutine, all of
// which have ended when it returns.
func Run(ctx context.Context, logs []Input, o Options) (*Report, error) {
	f, err := formatOf(o.Format)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	sources := make([]*source, len(logs))
	for i, in := range logs {
		sources[i] = openSource(ctx, in, f, &running)
	}
	r := newReplay(o)
	defer r.store.Close()
	if err := r.all(ctx, newMerge(sources)); err != nil {
		return nil, err
	}
	return r.report(sources)
}

// replay is one run.
type replay struct {
	policy   *policy.Policy
	resolver clientip.Resolver
	store    *weir.MemoryStore
	clock    clock
	late     int64
	tally    *tally
}

func newReplay(o Options) *replay {
	r := &replay{policy: o.Policy, tally: newTally()}
	r.resolver = clientip.Resolver{Trusted: o.Policy.TrustedProxies(), Header: clientip.XForwardedFor}
	r.store = weir.NewMemoryStore(weir.MemoryOptions{MaxKeys: o.MaxKeys, Clock: r.clock.now})
	return r
}

func (r *replay) all(ctx context.Context, entries *merge) error {
	var e entry
	for n := 0; entries.next(&e); n++ {
		if n%batchSize == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := r.one(ctx, &e); err != nil {
			return fmt.Errorf("replay: %w", err)
		}
	}
	return ctx.Err()
}

// one decides one request at its own instant.
func (r *replay) one(ctx context.Context, e *entry) error {
	if !r.clock.forward(e.at) {
		r.late++
	}
	a := r.attributes(e)
	d, err := r.policy.Decide(ctx, r.store, &a)
	if err != nil {
		return err
	}
	r.tally.add(r.policy.Caller(&a), e, r.clock.micros.Load(), &d)
	return nil
}

// attributes are those that a front would have made of the request.
func (r *replay) attributes(e *entry) policy.Attributes {
	a := policy.Attributes{IP: e.ip, Method: e.method, Host: e.host, Path: e.path, Header: e.header, Cost: 1}
	a.Trusted = e.peer.IsValid() && r.resolver.Trusted.Contains(e.peer)
	switch {
	case e.ip == e.peer && len(e.forwarded) > 0 && e.peer.IsValid():
		a.IP, _ = r.resolver.Resolve(e.peer, e.forwarded)
	case !e.ip.IsValid() && len(e.forwarded) > 0:
		a.IP = r.nearest(e.forwarded)
	case !e.ip.IsValid() && e.name != "":
		a.IP = standIn(e.name)
	}
	return a
}

// nearest is the client where the log's own server is the last proxy and has put
// its peer into the list: trusted stands for the server itself.
func (r *replay) nearest(forwarded []string) netip.Addr {
	itself := r.resolver
	itself.TrustUnix = true
	client, _ := itself.Resolve(netip.Addr{}, forwarded)
	return client
}

// report is complete once all sources have ended.
func (r *replay) report(sources []*source) (*Report, error) {
	report := r.tally.report(r.policy.Layers())
	report.Late = r.late
	for _, s := range sources {
		t := &s.tally
		var unknown *UnknownFormatError
		if errors.As(t.failed, &unknown) {
			return nil, unknown
		}
		report.addFile(t)
	}
	return report, nil
}
