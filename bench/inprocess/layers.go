package main

import (
	"context"
	"sync"

	"github.com/weirhq/weir"
)

// layered decides three layers. Peers know none, so each layer is a limiter of its own,
// asked in order until one refuses.
type layered [3]Limiter

func (l layered) Take(key string) bool {
	return l[0].Take(key) && l[1].Take(key) && l[2].Take(key)
}

func openLayers(p peer, q quota, keys int) (Limiter, error) {
	switch p.name {
	case "weir":
		return openWeirLayers(q, keys)
	case "weir-sliding":
		return openWeirLayers(q, keys, weir.WithAlgorithm(weir.SlidingCounter))
	}
	var all layered
	for i := range all {
		one, err := p.open(q, keys)
		if err != nil {
			return nil, err
		}
		all[i] = one
	}
	return all, nil
}

// weirLayers decides them in one call, at one instant.
type weirLayers struct {
	store  *weir.MemoryStore
	limit  *weir.Limit
	layers [3]string
	calls  sync.Pool
}

type call struct {
	checks  [3]weir.Check
	results [3]weir.Result
}

func openWeirLayers(q quota, keys int, options ...weir.LimitOption) (Limiter, error) {
	limit, err := weir.NewLimit(weir.Per(int64(q.count), q.period), options...)
	if err != nil {
		return nil, err
	}
	return &weirLayers{
		store: newStore(3 * keys), limit: limit, layers: [3]string{"edge", "gateway", "endpoint"},
		calls: sync.Pool{New: func() any { return new(call) }},
	}, nil
}

func (l *weirLayers) Take(key string) bool {
	c := l.calls.Get().(*call)
	defer l.calls.Put(c)
	for i := range c.checks {
		c.checks[i] = weir.Check{Key: weir.Key{Layer: l.layers[i], Limit: "limit", Identity: key}, Limit: l.limit, Cost: 1}
	}
	if err := l.store.Take(context.Background(), c.checks[:], c.results[:]); err != nil {
		return false
	}
	return c.results[0].Allowed && c.results[1].Allowed && c.results[2].Allowed
}
