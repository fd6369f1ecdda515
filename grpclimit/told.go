package grpclimit

import (
	"strconv"
	"time"

	"google.golang.org/grpc/metadata"

	"github.com/weirhq/weir"
)

// The metadata of answers, named like the header fields of HTTP.
const (
	keyLimit     = "x-ratelimit-limit"
	keyRemaining = "x-ratelimit-remaining"
	keyReset     = "x-ratelimit-reset"
	keyDecision  = "weir-decision"
	keyPushback  = "grpc-retry-pushback-ms"
)

// told is what an answer tells of a decision. Times come from the decision's own
// instant and are rounded up.
func (i *Interceptor) told(r *weir.Result) metadata.MD {
	md := metadata.MD{}
	if !r.Allowed {
		md.Set(keyPushback, strconv.FormatInt(pushback(r.RetryAfter), 10))
	}
	if i.withoutMetadata {
		return md
	}
	md.Set(keyDecision, r.ID.String())
	if r.Degraded && r.Limit == 0 {
		return md // let pass unseen: there are no figures
	}
	md.Set(keyLimit, strconv.FormatInt(r.Limit, 10))
	md.Set(keyRemaining, strconv.FormatInt(r.Remaining, 10))
	md.Set(keyReset, strconv.FormatInt(reset(r), 10))
	return md
}

// pushback is in milliseconds; below 0 tells a client not to retry.
func pushback(wait time.Duration) int64 {
	if wait == weir.Never {
		return -1
	}
	return int64(ceil(wait, time.Millisecond))
}

// reset is in seconds since the Unix epoch.
func reset(r *weir.Result) int64 {
	at := time.Duration(r.At%1_000_000) * time.Microsecond // whole seconds stay apart: a sum in ns may overflow
	return r.At/1_000_000 + int64(ceil(min(r.ResetAfter, weir.Never-time.Second)+at, time.Second))
}

func ceil(d, unit time.Duration) time.Duration {
	n := d / unit
	if d%unit > 0 {
		n++
	}
	return n
}
