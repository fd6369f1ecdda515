package redisstore_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/redistest"
	"github.com/weirhq/weir/redisstore"
)

// Of those who ask a server that has gone silent and give up, no more are charged
// when it is back than may be in flight, alone and in shared calls.
func TestASilenceIsChargedToFew(t *testing.T) {
	const callers = 4 * redisstore.MaxInFlight
	server := redistest.Start(t)
	store, limit := open(t, urlOf(server)), limitOf(t, weir.PerDay(100))
	take(t, store, key("before"), limit, 1)
	server.Pause()
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	var given sync.WaitGroup
	for i := range callers {
		check := weir.Check{Key: key(fmt.Sprint("caller", i)), Limit: limit, Cost: 1}
		given.Go(func() { store.Take(ctx, []weir.Check{check}, make([]weir.Result, 1)) })
	}
	given.Wait()
	server.Resume()
	redistest.Until(t, 20*time.Second, func() bool { return redisstore.InFlight(store) == 0 }, "the calls are over")
	charged, err := strconv.Atoi(strings.TrimSpace(server.Do("dbsize")))
	if most := 2 * redisstore.MaxInFlight; err != nil || charged > most {
		t.Errorf("%d of %d were charged, not at most %d: %v", charged, callers, most, err)
	}
}
