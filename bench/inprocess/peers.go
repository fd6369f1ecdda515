package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"github.com/failsafe-go/failsafe-go/ratelimiter"
	"github.com/go-chi/httprate"
	"github.com/sethvargo/go-limiter"
	"github.com/sethvargo/go-limiter/memorystore"
	"github.com/throttled/throttled/v2"
	throttledstore "github.com/throttled/throttled/v2/store/memstore"
	ulule "github.com/ulule/limiter/v3"
	ululestore "github.com/ulule/limiter/v3/drivers/store/memory"
	"golang.org/x/time/rate"

	"github.com/weirhq/weir"
)

// Limiter is what all of them can do: take one for a key, if it may pass.
type Limiter interface {
	Take(key string) bool
}

// quota is so many per period, of which as many may come at once. All peers can
// express it, whatever their algorithm.
type quota struct {
	count  int
	period time.Duration
}

type peer struct {
	name, module string
	floor        bool // limits nothing
	// open makes a limiter with room for a number of keys, where one has to say.
	open func(q quota, keys int) (Limiter, error)
}

var peers = []peer{
	{name: "weir", open: openWeir},
	{name: "weir-sliding", open: openWeirSliding},
	{name: "x/time", module: "golang.org/x/time", open: openXTime},
	{name: "go-limiter", module: "github.com/sethvargo/go-limiter", open: openGoLimiter},
	{name: "throttled", module: "github.com/throttled/throttled/v2", open: openThrottled},
	{name: "ulule", module: "github.com/ulule/limiter/v3", open: openUlule},
	{name: "failsafe", module: "github.com/failsafe-go/failsafe-go", open: openFailsafe},
	{name: "httprate", module: "github.com/go-chi/httprate", open: openHTTPRate},
	{name: "map+clock", floor: true, open: openFloor},
}

// weirLimiter is GCRA, weir's default, and the call that most users make.
type weirLimiter struct{ *weir.Limiter }

func openWeir(q quota, keys int) (Limiter, error) {
	store := newStore(keys)
	l, err := weir.New(weir.Per(int64(q.count), q.period), weir.WithStore(store))
	return weirLimiter{l}, err
}

// newStore has a bound far above the keys that there are: what it does at the bound is
// another question. It takes memory as keys come.
func newStore(keys int) *weir.MemoryStore {
	return weir.NewMemoryStore(weir.MemoryOptions{MaxKeys: max(weir.DefaultMaxKeys, 4*keys)})
}

// openWeirSliding is the sliding counter, what the default policy of the daemon uses.
func openWeirSliding(q quota, keys int) (Limiter, error) {
	store := newStore(keys)
	l, err := weir.New(weir.Per(int64(q.count), q.period), weir.WithStore(store), weir.WithAlgorithm(weir.SlidingCounter))
	return weirLimiter{l}, err
}

func (l weirLimiter) Take(key string) bool {
	r, err := l.Allow(context.Background(), key)
	return err == nil && r.Allowed
}

// each is for limiters that know no keys: one of them for each key.
type each[T any] struct {
	limiters sync.Map
	open     func() T
	take     func(T) bool
}

func (e *each[T]) Take(key string) bool {
	one, ok := e.limiters.Load(key)
	if !ok {
		one, _ = e.limiters.LoadOrStore(key, e.open())
	}
	return e.take(one.(T))
}

func openXTime(q quota, _ int) (Limiter, error) {
	every := rate.Limit(float64(q.count) / q.period.Seconds())
	return &each[*rate.Limiter]{
		open: func() *rate.Limiter { return rate.NewLimiter(every, q.count) },
		take: (*rate.Limiter).Allow,
	}, nil
}

func openFailsafe(q quota, _ int) (Limiter, error) {
	type bursty = ratelimiter.RateLimiter[any]
	return &each[bursty]{
		open: func() bursty { return ratelimiter.NewBursty[any](uint(q.count), q.period) },
		take: func(l bursty) bool { return l.TryAcquirePermit() },
	}, nil
}

type goLimiter struct{ limiter.Store }

func openGoLimiter(q quota, keys int) (Limiter, error) {
	s, err := memorystore.New(&memorystore.Config{Tokens: uint64(q.count), Interval: q.period, InitialAlloc: keys})
	return goLimiter{s}, err
}

func (l goLimiter) Take(key string) bool {
	_, _, _, ok, err := l.Store.Take(context.Background(), key)
	return ok && err == nil
}

type throttledLimiter struct{ *throttled.GCRARateLimiterCtx }

func openThrottled(q quota, _ int) (Limiter, error) {
	store, err := throttledstore.NewCtx(0) // as many keys as come; an LRU would be slower
	if err != nil {
		return nil, err
	}
	l, err := throttled.NewGCRARateLimiterCtx(store, throttled.RateQuota{MaxRate: throttled.PerDuration(q.count, q.period), MaxBurst: q.count - 1})
	if err != nil {
		return nil, err
	}
	l.SetMaxCASAttemptsLimit(1_000_000) // by default 11 lost races on a key are an error
	return throttledLimiter{l}, nil
}

func (l throttledLimiter) Take(key string) bool {
	limited, _, err := l.RateLimitCtx(context.Background(), key, 1)
	return !limited && err == nil
}

type ululeLimiter struct{ *ulule.Limiter }

func openUlule(q quota, _ int) (Limiter, error) {
	return ululeLimiter{ulule.New(ululestore.NewStore(), ulule.Rate{Period: q.period, Limit: int64(q.count)})}, nil
}

func (l ululeLimiter) Take(key string) bool {
	c, err := l.Get(context.Background(), key)
	return err == nil && !c.Reached
}

// httpRate limits requests of HTTP only; it is asked with one that is always the same,
// and writes its fields to nobody.
type httpRate struct {
	*httprate.RateLimiter
	request *http.Request
}

func openHTTPRate(q quota, _ int) (Limiter, error) {
	return httpRate{httprate.NewRateLimiter(q.count, q.period), httptest.NewRequest("GET", "/", nil)}, nil
}

func (l httpRate) Take(key string) bool {
	return !l.OnLimit(fields{}, l.request, key)
}

// fields is an answer that nobody reads.
type fields struct{}

func (f fields) Header() http.Header         { return http.Header{} }
func (f fields) Write(b []byte) (int, error) { return len(b), nil }
func (f fields) WriteHeader(int)             {}

// floor is the least that a limiter by key does: it looks the key up, and the clock.
type floor struct {
	lock   sync.RWMutex
	states map[string]int64
}

func openFloor(_ quota, keys int) (Limiter, error) {
	return &floor{states: make(map[string]int64, keys)}, nil
}

func (f *floor) Take(key string) bool {
	now := time.Now().UnixNano()
	f.lock.RLock()
	last, ok := f.states[key]
	f.lock.RUnlock()
	if !ok {
		f.lock.Lock()
		f.states[key] = 1
		f.lock.Unlock()
	}
	return last < now
}
