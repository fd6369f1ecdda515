package redisstore_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/redistest"
	"github.com/weirhq/weir/redisstore"
)

// plainClient is the least that can be a [redisstore.Doer].
type plainClient struct {
	mu   sync.Mutex
	conn *redistest.Conn
}

func (c *plainClient) Do(_ context.Context, args ...any) (any, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var words []string
	for _, a := range args {
		words = append(words, fmt.Sprint(a))
	}
	text, err := c.conn.Do(words...)
	return text, err
}

// Any client will do, with its one method. It need not know what a script is:
// examples/goredis has a real one.
func TestStoreOnAnotherClient(t *testing.T) {
	server := sharedServer(t)
	conn, err := redistest.Dial(server.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, options := range [][]redisstore.Option{nil, {redisstore.WithCluster()}} {
		server.Do("flushall")
		store, err := redisstore.NewWithDoer(&plainClient{conn: conn}, options...)
		if err != nil {
			t.Fatal(err)
		}
		eachAlgorithm(t, func(t *testing.T, a weir.Algorithm) {
			limit := limitOf(t, weir.PerDay(3), weir.WithAlgorithm(a))
			var checks []weir.Check
			for _, identity := range []string{"a", "b", "c"} { // with [redisstore.WithCluster] a call each
				checks = append(checks, weir.Check{Key: weir.Key{Layer: a.String(), Identity: identity}, Limit: limit, Cost: 1, Group: &weir.Group{}})
			}
			for i := range 5 {
				server.Do("script", "flush")
				d := weir.Decide(weir.NewID(), checks, decide(t, store, checks...))
				if d.Allowed != (i < 3) {
					t.Errorf("call %d: %+v", i+1, d.Results)
				}
				if i > 0 {
					continue
				}
				server.Do("script", "flush")
				if gave, err := store.Refund(t.Context(), d.ID, d.Charges()); err != nil || !gave {
					t.Errorf("refund: %t, %v", gave, err)
				}
				decide(t, store, checks...)
			}
			if err := store.Reset(t.Context(), []weir.Key{checks[1].Key}); err != nil {
				t.Fatal(err)
			}
			for i, left := range []int64{0, 3, 0} {
				if r := peek(t, store, checks[i].Key, limit, 1); r.Remaining != left {
					t.Errorf("after the reset of b: %+v", r)
				}
			}
		})
	}
	if _, err := redisstore.NewWithDoer(nil); err == nil {
		t.Error("a store without a client")
	}
	if _, err := redisstore.New(nil); err == nil {
		t.Error("a store without a client")
	}
}

// What the client says of a failure is in the error, and nothing is made up where
// its reply makes no sense.
func TestClientThatFails(t *testing.T) {
	limit := limitOf(t, weir.PerDay(3))
	down := errors.New("down")
	for _, c := range []struct {
		reply any
		err   error
	}{{nil, down}, {"", nil}, {"x", nil}, {nil, nil}, {int64(1), nil}, {[]byte("12345678"), nil}} {
		store, err := redisstore.NewWithDoer(redisstore.DoerFunc(func(context.Context, ...any) (any, error) { return c.reply, c.err }))
		if err != nil {
			t.Fatal(err)
		}
		err = store.Take(t.Context(), []weir.Check{{Key: key("a"), Limit: limit, Cost: 1}}, make([]weir.Result, 1))
		if err == nil || c.err != nil && !errors.Is(err, down) {
			t.Errorf("%v, %v: %v", c.reply, c.err, err)
		}
		if err := store.Reset(t.Context(), []weir.Key{key("a")}); c.err != nil && !errors.Is(err, down) {
			t.Errorf("reset: %v", err)
		}
	}
}
