package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/redis/go-redis/v9"
	"github.com/redis/rueidis"
	"github.com/throttled/throttled/v2"
	throttledstore "github.com/throttled/throttled/v2/store/goredisstore.v9"
	ulule "github.com/ulule/limiter/v3"
	ululestore "github.com/ulule/limiter/v3/drivers/store/redis"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/bench/process"
	"github.com/weirhq/weir/redisstore"
)

// Limiter is what all of them can do: take one for a key, if it may pass.
type Limiter interface {
	Take(ctx context.Context, key string) (bool, error)
}

// take is a Limiter.
type take func(ctx context.Context, key string) (bool, error)

func (f take) Take(ctx context.Context, key string) (bool, error) { return f(ctx, key) }

// quota is so many per period, of which as many may come at once.
type quota struct {
	count  int
	period time.Duration
}

// bench is everything that runs.
type bench struct {
	processes process.Group
	redis     string // address
	pid       int
	rueidis   rueidis.Client // with the settings that weir uses
	pool      *redis.Client  // a connection for each caller
	pipeline  *redis.AutoPipeliner
}

func (b *bench) connect() (err error) {
	o := redisstore.ClientOptions(b.redis)
	o.ConnWriteTimeout = 10 * time.Second // a busy machine is not a lost server
	if b.rueidis, err = rueidis.NewClient(o); err != nil {
		return err
	}
	b.pool = redis.NewClient(&redis.Options{Addr: b.redis, PoolSize: most, MaxRetries: -1})
	b.pipeline, err = redis.NewClient(&redis.Options{Addr: b.redis, MaxRetries: -1}).AutoPipeline()
	return err
}

func (b *bench) disconnect() {
	b.rueidis.Close()
	b.pool.Close()
	b.pipeline.Close()
}

type peer struct {
	name  string
	floor bool // limits nothing
	// loses says that concurrent takes of one key can fail. They are not counted as
	// decisions.
	loses bool
	open  func(b *bench, q quota) (Limiter, error)
}

var peers = []peer{
	{name: "weir", open: openWeir()},
	{name: "weir-alone", open: openWeir(redisstore.WithoutCoalescing())},
	{name: "weir-deny-cache", open: openWeir(redisstore.WithDenyCache(time.Second))},
	{name: "redis_rate", open: func(b *bench, q quota) (Limiter, error) { return openRedisRate(redis_rate.NewLimiter(b.pool), q) }},
	{name: "redis_rate-pipeline", open: func(b *bench, q quota) (Limiter, error) { return openRedisRate(redis_rate.NewLimiter(b.pipeline), q) }},
	{name: "throttled", loses: true, open: openThrottled},
	{name: "ulule", open: openUlule},
	{name: "evalsha", floor: true, open: openEvalsha},
	{name: "incr", floor: true, open: openIncr},
}

// openWeir is GCRA, weir's default.
func openWeir(options ...redisstore.Option) func(*bench, quota) (Limiter, error) {
	return func(b *bench, q quota) (Limiter, error) {
		store, err := redisstore.New(b.rueidis, options...)
		if err != nil {
			return nil, err
		}
		l, err := weir.New(weir.Per(int64(q.count), q.period), weir.WithStore(store))
		return take(func(ctx context.Context, key string) (bool, error) {
			r, err := l.Allow(ctx, key)
			return r.Allowed, err
		}), err
	}
}

func openRedisRate(l *redis_rate.Limiter, q quota) (Limiter, error) {
	limit := redis_rate.Limit{Rate: q.count, Burst: q.count, Period: q.period}
	return take(func(ctx context.Context, key string) (bool, error) {
		r, err := l.Allow(ctx, key, limit)
		if err != nil {
			return false, err
		}
		return r.Allowed > 0, nil
	}), nil
}

func openThrottled(b *bench, q quota) (Limiter, error) {
	store, err := throttledstore.NewCtx(b.pool, "throttled:")
	if err != nil {
		return nil, err
	}
	l, err := throttled.NewGCRARateLimiterCtx(store, throttled.RateQuota{MaxRate: throttled.PerDuration(q.count, q.period), MaxBurst: q.count - 1})
	return take(func(ctx context.Context, key string) (bool, error) {
		limited, _, err := l.RateLimitCtx(ctx, key, 1)
		return !limited, err
	}), err
}

func openUlule(b *bench, q quota) (Limiter, error) {
	store, err := ululestore.NewStore(b.pool)
	if err != nil {
		return nil, err
	}
	l := ulule.New(store, ulule.Rate{Period: q.period, Limit: int64(q.count)})
	return take(func(ctx context.Context, key string) (bool, error) {
		c, err := l.Get(ctx, key)
		return !c.Reached, err
	}), nil
}

// openEvalsha is the least that a script costs, through weir's client.
func openEvalsha(b *bench, _ quota) (Limiter, error) {
	script := rueidis.NewLuaScript("return 1")
	return take(func(ctx context.Context, key string) (bool, error) {
		n, err := script.Exec(ctx, b.rueidis, []string{"evalsha:" + key}, nil).AsInt64()
		return n == 1, err
	}), nil
}

func openIncr(b *bench, _ quota) (Limiter, error) {
	return take(func(ctx context.Context, key string) (bool, error) {
		n, err := b.rueidis.Do(ctx, b.rueidis.B().Incr().Key("incr:"+key).Build()).AsInt64()
		return n > 0, err
	}), nil
}

// openLayers are three layers: in weir one call, in the others three in order.
func (p peer) openLayers(b *bench, q quota) (Limiter, error) {
	switch p.name {
	case "weir":
		return openWeirLayers(b, q)
	case "weir-alone":
		return openWeirLayers(b, q, redisstore.WithoutCoalescing())
	}
	l, err := p.open(b, q)
	return take(func(ctx context.Context, key string) (bool, error) {
		for _, layer := range layers {
			if ok, err := l.Take(ctx, layer+":"+key); err != nil || !ok {
				return false, err
			}
		}
		return true, nil
	}), err
}

var layers = [...]string{"edge", "gateway", "endpoint"}

func openWeirLayers(b *bench, q quota, options ...redisstore.Option) (Limiter, error) {
	store, err := redisstore.New(b.rueidis, options...)
	if err != nil {
		return nil, err
	}
	limit, err := weir.NewLimit(weir.Per(int64(q.count), q.period))
	return take(func(ctx context.Context, key string) (bool, error) {
		checks, results := make([]weir.Check, len(layers)), make([]weir.Result, len(layers))
		for i, layer := range layers {
			checks[i] = weir.Check{Key: weir.Key{Layer: layer, Limit: "limit", Identity: key}, Limit: limit, Cost: 1}
		}
		if err := store.Take(ctx, checks, results); err != nil {
			return false, err
		}
		return results[0].Allowed && results[1].Allowed && results[2].Allowed, nil
	}), err
}

// checkLimits wants that of 5 a day the sixth is refused, for a hundred keys each by
// itself.
func checkLimits(ctx context.Context, l Limiter, contest string) error {
	for n := range 6 {
		for k := range 100 {
			ok, err := l.Take(ctx, fmt.Sprintf("setup-%s-%d", contest, k))
			if err != nil {
				return err
			}
			if ok != (n < 5) {
				return errors.New("a limit of 5 admits another number")
			}
		}
	}
	return nil
}
