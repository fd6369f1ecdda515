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

type call struct{ keys, args []string }

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

// places bounds the calls in flight.
type places chan struct{}

// maxInFlight is below the length of rueidis's ring (1024): past it callers would
// wait in the ring for seconds, whatever their contexts say.
const maxInFlight = 1000

func newPlaces() places { return make(places, maxInFlight) }

// enter takes a place, or gives up with the context.
func (p places) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case p <- struct{}{}:
		return nil
	default:
	}
	select {
	case p <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p places) leave() { <-p }
