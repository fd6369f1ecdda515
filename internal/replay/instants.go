package replay

import (
	"context"
	"errors"
	"sync"
)

// Instants are those of the requests of a log, µs since the Unix epoch, in the
// order of the log. They take 8 bytes each: what is drawn of them needs the last one
// first. The errors are those of [Run].
func Instants(ctx context.Context, log Input) ([]int64, error) {
	f, err := formatOf(Auto)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	s := openSource(ctx, log, f, func(e *entry) request { return request{at: e.at} }, &running)
	var at []int64
	var r request
	for requests := newMerge([]*source{s}); requests.next(&r); {
		at = append(at, r.at)
	}
	var unknown *UnknownFormatError
	if errors.As(s.tally.failed, &unknown) {
		return nil, unknown
	}
	return at, ctx.Err()
}
