package redisstore

import (
	"context"
	"errors"
	"strings"
)

// evaler runs scripts on whatever client the user has.
type evaler interface {
	eval(ctx context.Context, s *script, c call) (string, error)
	// evalAll makes several calls at once, each with a reply of its own. An error
	// means that no reply is known.
	evalAll(ctx context.Context, s *script, calls []call) ([]reply, error)
	unlink(ctx context.Context, keys []string) error
}

type call struct {
	keys, args []string
	shared     bool // by several requests
}

type reply struct {
	text string
	err  error
}

// isNoScript and its like go by the first word of an error reply, which every
// client hands through.
func isNoScript(err error) bool { return isReply(err, "NOSCRIPT") }

// isTryAgain is for a call of several keys whose slot is on its way to another
// node, with some of them here and some there. Nothing was executed.
func isTryAgain(err error) bool { return isReply(err, "TRYAGAIN") }

// isCrossSlot is for a call whose keys lie in several slots. A server of a cluster
// refuses it even where all slots are its own, as do proxies before several.
func isCrossSlot(err error) bool { return isReply(err, "CROSSSLOT") }

// isUnbegun is for a call that was refused for its keys, or at the first write of
// its script, so that nothing was executed. With other keys, or where it has
// nothing to write, it may be answered.
func isUnbegun(err error) bool {
	for _, word := range [...]string{"CROSSSLOT", "NOPERM", "OOM", "READONLY", "MISCONF", "NOREPLICAS"} {
		if isReply(err, word) {
			return true
		}
	}
	return false
}

func isReply(err error, word string) bool {
	for ; err != nil; err = errors.Unwrap(err) {
		if strings.HasPrefix(err.Error(), word) {
			return true
		}
	}
	return false
}

// places bounds the calls in flight: those for one request, and those that several
// share. A call goes on when nobody waits for it any more, and charges: of a server
// that has been silent for a while, what is in flight is charged for nothing.
type places struct{ single, shared seats }

// seats bounds the calls of one kind.
type seats chan struct{}

const (
	// maxInFlight is below the length of rueidis's ring (1024): past it callers would
	// wait in the ring for seconds, whatever their contexts say.
	maxInFlight = 1000
	// maxSharedInFlight are for about as many requests as there may be calls. Were
	// they bounded as calls only, 256 callers who gave up in 400 ms of silence were
	// charged for nearly all of 5000 requests, not for one in five.
	maxSharedInFlight = maxInFlight / sharedChecks
)

func newPlaces() places {
	return places{make(seats, maxInFlight-maxSharedInFlight), make(seats, maxSharedInFlight)}
}

func (p places) of(c call) seats {
	if c.shared {
		return p.shared
	}
	return p.single
}

// enter takes a place, or gives up with the context.
func (s seats) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case s <- struct{}{}:
		return nil
	default:
	}
	select {
	case s <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s seats) leave() { <-s }
