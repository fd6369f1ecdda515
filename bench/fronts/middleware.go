package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"syscall"
	"time"

	"github.com/go-chi/httprate"
	"github.com/throttled/throttled/v2"
	throttledstore "github.com/throttled/throttled/v2/store/memstore"
	ulule "github.com/ulule/limiter/v3"
	ululehttp "github.com/ulule/limiter/v3/drivers/middleware/stdlib"
	ululestore "github.com/ulule/limiter/v3/drivers/store/memory"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/bench/turns"
	"github.com/weirhq/weir/httplimit"
)

// wrap puts a handler behind a limit of so many an hour for each address, with the
// fields that the middleware sets by default.
type wrap func(count int, next http.Handler) (http.Handler, error)

var wraps = map[string]wrap{
	"weir": func(count int, next http.Handler) (http.Handler, error) {
		limiter, err := weir.New(weir.PerHour(int64(count)))
		if err != nil {
			return nil, err
		}
		return httplimit.New(limiter, httplimit.ByIP()).Wrap(next), nil
	},
	"httprate": func(count int, next http.Handler) (http.Handler, error) {
		byIP := func(r *http.Request) (string, error) { return httprate.KeyByIP(r) }
		return httprate.LimitBy(count, time.Hour, byIP)(next), nil
	},
	"ulule": func(count int, next http.Handler) (http.Handler, error) {
		limiter := ulule.New(ululestore.NewStore(), ulule.Rate{Period: time.Hour, Limit: int64(count)})
		return ululehttp.NewMiddleware(limiter).Handler(next), nil
	},
	"throttled": func(count int, next http.Handler) (http.Handler, error) {
		store, err := throttledstore.NewCtx(0)
		if err != nil {
			return nil, err
		}
		limiter, err := throttled.NewGCRARateLimiterCtx(store, throttled.RateQuota{MaxRate: throttled.PerHour(count), MaxBurst: count - 1})
		if err != nil {
			return nil, err
		}
		limits := throttled.HTTPRateLimiterCtx{RateLimiter: limiter, VaryBy: &throttled.VaryBy{RemoteAddr: true}}
		return limits.RateLimit(next), nil
	},
}

const (
	addresses = 100       // whose requests come in turn
	ample     = 1_000_000 // an hour, which nobody uses up, and of which one is remembered for 3.6 ms
	stint     = 20_000    // requests, until the other handler has its own
)

func (b *bench) prepareMiddleware(name string) (turn, error) {
	if err := checkMiddleware(wraps[name]); err != nil {
		return nil, err
	}
	bare := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	wrapped, err := wraps[name](ample, bare)
	if err != nil {
		return nil, err
	}
	return func() ([]turns.Figure, error) { return compare(bare, wrapped, b.settings.turn) }, nil
}

// checkMiddleware wants that of five the sixth is refused, for each address by itself.
func checkMiddleware(w wrap) error {
	h, err := w(5, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	if err != nil {
		return err
	}
	for n := range 6 {
		for _, r := range requestsOf(20) {
			answer := httptest.NewRecorder()
			h.ServeHTTP(answer, r)
			if (answer.Code == http.StatusTooManyRequests) != (n == 5) {
				return fmt.Errorf("request %d of %s: status %d", n+1, r.RemoteAddr, answer.Code)
			}
		}
	}
	return nil
}

func requestsOf(addresses int) (all []*http.Request) {
	for i := range addresses {
		r := httptest.NewRequest("GET", "/search", nil)
		r.RemoteAddr = fmt.Sprintf("203.0.113.%d:4711", i)
		all = append(all, r)
	}
	return all
}

// compare has both handlers answer in stints, one after the other, and tells what the
// wrapped one takes more for each request: processor time, of all that the process
// does meanwhile, and allocations. A stint is long enough for what it allocates to be
// collected within it, on one core: on more, collections use what is idle for as long as
// it is.
func compare(bare, wrapped http.Handler, during time.Duration) ([]turns.Figure, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	requests, answer := requestsOf(addresses), &sink{header: http.Header{}}
	var own, more cost
	for begun := time.Now(); time.Since(begun) < during; {
		own.add(func() { answer.serve(bare, requests, stint) })
		more.add(func() { answer.serve(wrapped, requests, stint) })
	}
	if answer.other > 0 {
		return nil, fmt.Errorf("%d answers are not 200", answer.other)
	}
	n := float64(more.stints * stint)
	return []turns.Figure{
		{Value: float64(more.time-own.time) / n, Unit: "over-bare-ns"},
		{Value: float64(int64(float64(int64(more.mallocs)-int64(own.mallocs))/n*10+0.5)) / 10, Unit: "allocs"},
		{Value: float64(own.time) / n, Unit: "bare-ns"},
	}, nil
}

type cost struct {
	stints  int
	time    time.Duration
	mallocs uint64
}

func (c *cost) add(work func()) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	begun := cpuTime()
	work()
	c.time += cpuTime() - begun
	runtime.ReadMemStats(&after)
	c.mallocs += after.Mallocs - before.Mallocs
	c.stints++
}

// cpuTime is the processor time that this process has used.
func cpuTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err) // it has no other way to fail than a wrong argument
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// sink is an answer that costs nothing, with what a server's can do. Its fields are
// cleared for each request.
type sink struct {
	header http.Header
	other  int // answers that are not 200
}

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) Write(p []byte) (int, error) { return len(p), nil }
func (s *sink) Flush()                      {}
func (s *sink) WriteHeader(status int) {
	if status != http.StatusOK {
		s.other++
	}
}

func (s *sink) serve(h http.Handler, requests []*http.Request, n int) {
	for i := range n {
		clear(s.header)
		h.ServeHTTP(s, requests[i%len(requests)])
	}
}
