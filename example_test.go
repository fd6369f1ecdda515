package weir_test

import (
	"context"
	"fmt"
	"time"

	"github.com/weirhq/weir"
)

// Three requests a minute for each key, by GCRA, in memory.
func Example() {
	limiter, err := weir.New(weir.PerMinute(3))
	if err != nil {
		panic(err)
	}
	defer limiter.Close()
	for range 4 {
		result, err := limiter.Allow(context.Background(), "user:42")
		if err != nil {
			panic(err) // no decision was made
		}
		fmt.Println(result.Allowed, result.Remaining, result.RetryAfter.Round(time.Second))
	}
	// Output:
	// true 2 0s
	// true 1 0s
	// true 0 0s
	// false 0 20s
}

// A burst is what passes at one instant from idle; from then on requests pass at
// the rate.
func ExampleWithBurst() {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	limiter := limiterAt(&now, weir.PerMinute(60), weir.WithBurst(5))

	passes := func() (n int) {
		for range 100 {
			if r, _ := limiter.Allow(context.Background(), "user:42"); r.Allowed {
				n++
			}
		}
		return n
	}
	fmt.Println("at once:", passes())
	now = now.Add(3 * time.Second)
	fmt.Println("three seconds later:", passes())
	now = now.Add(time.Hour)
	fmt.Println("after an hour of rest:", passes())
	// Output:
	// at once: 5
	// three seconds later: 3
	// after an hour of rest: 5
}

// The five algorithms on one traffic: ten requests at the end of a minute, ten
// at the start of the next, and ten half a minute later.
func ExampleWithAlgorithm() {
	for _, a := range weir.Algorithms() {
		now := time.Date(2026, 1, 1, 0, 0, 59, 0, time.UTC)
		limiter := limiterAt(&now, weir.PerMinute(10), weir.WithAlgorithm(a))
		fmt.Printf("%-15s", a)
		for _, wait := range []time.Duration{0, time.Second, 30 * time.Second} {
			now = now.Add(wait)
			admitted := 0
			for range 10 {
				if r, _ := limiter.Allow(context.Background(), "user:42"); r.Allowed {
					admitted++
				}
			}
			fmt.Print(" ", admitted)
		}
		fmt.Println()
	}
	// Output:
	// gcra            10 0 5
	// token-bucket    10 0 5
	// fixed-window    10 10 0
	// sliding-log     10 0 0
	// sliding-counter 10 0 5
}

// A call may cost more than 1. It passes whole or not at all.
func ExampleLimiter_AllowN() {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	limiter := limiterAt(&now, weir.PerMinute(10))
	for _, cost := range []int64{7, 5, 3, 11} {
		r, _ := limiter.AllowN(context.Background(), "user:42", cost)
		fmt.Printf("%d: %t %q, %d left\n", cost, r.Allowed, r.Reason, r.Remaining)
	}
	// Output:
	// 7: true "", 3 left
	// 5: false "over_limit", 3 left
	// 3: true "", 0 left
	// 11: false "exceeds_capacity", 0 left
}

// A peek says what would happen, and charges nothing.
func ExampleLimiter_Peek() {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	limiter := limiterAt(&now, weir.PerMinute(10))
	limiter.AllowN(context.Background(), "user:42", 7)

	r, _ := limiter.Peek(context.Background(), "user:42", 5)
	fmt.Println("5 would pass:", r.Allowed, "but not before", r.RetryAfter)
	r, _ = limiter.Peek(context.Background(), "user:42", 3)
	fmt.Println("3 would pass:", r.Allowed)
	// Output:
	// 5 would pass: false but not before 12s
	// 3 would pass: true
}

// Wait is for a client that paces itself.
func ExampleLimiter_Wait() {
	limiter, err := weir.New(weir.PerSecond(1000), weir.WithBurst(1))
	if err != nil {
		panic(err)
	}
	defer limiter.Close()
	start := time.Now()
	for range 11 {
		if err := limiter.Wait(context.Background(), "api.example.com"); err != nil {
			panic(err)
		}
	}
	fmt.Println("paced:", time.Since(start) >= 10*time.Millisecond)

	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Microsecond)
	defer cancel()
	limiter.Allow(ctx, "slow.example.com")
	fmt.Println(limiter.Wait(ctx, "slow.example.com"))
	// Output:
	// paced: true
	// weir: the wait is longer than the context allows
}

// A refund undoes a take, once: here a request that failed is not counted.
func ExampleLimiter_Refund() {
	ctx := context.Background()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	limiter := limiterAt(&now, weir.PerMinute(10))

	r, _ := limiter.AllowN(ctx, "user:42", 4)
	fmt.Println("remaining:", r.Remaining)
	for range 2 {
		gave, _ := limiter.Refund(ctx, "user:42", 4, r)
		fmt.Println("gave back:", gave)
	}
	r, _ = limiter.Peek(ctx, "user:42", 1)
	fmt.Println("remaining:", r.Remaining)
	// Output:
	// remaining: 6
	// gave back: true
	// gave back: false
	// remaining: 10
}

// A clock of one's own replays a log, or a test's minute in no time.
func ExampleMemoryOptions() {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	store := weir.NewMemoryStore(weir.MemoryOptions{Clock: func() time.Time { return now }})
	defer store.Close()
	limiter, err := weir.New(weir.PerHour(1), weir.WithStore(store))
	if err != nil {
		panic(err)
	}
	for range 3 {
		r, _ := limiter.Allow(context.Background(), "user:42")
		fmt.Println(now.Format("15:04"), r.Allowed, "retry after", r.RetryAfter)
		now = now.Add(30 * time.Minute)
	}
	// Output:
	// 12:00 true retry after 0s
	// 12:30 false retry after 30m0s
	// 13:00 true retry after 0s
}

func ExampleParseRate() {
	for _, text := range []string{"100/minute", "30/10s", "5/24h", "100/90m", "60", "5/mn"} {
		rate, err := weir.ParseRate(text)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(rate)
	}
	// Output:
	// 100/min
	// 30/10s
	// 5/day
	// 100/1h30m
	// weir: rate "60" is not COUNT/PERIOD: write it as 100/min, 10/s, 30/10s or 100/1h30m
	// weir: rate "5/mn" has a period "mn" that is not one: did you mean min?
}

// What cannot be represented is refused when it is made, never at a request.
func ExampleNewLimit() {
	limit, err := weir.NewLimit(weir.PerMinute(100), weir.WithBurst(20))
	fmt.Println(limit, err)
	_, err = weir.NewLimit(weir.Per(100, 500*24*time.Hour))
	fmt.Println(err)
	// Output:
	// 100/min gcra burst 20 <nil>
	// weir: limit 100/500d: period is outside 1µs to 407d
}

// limiterAt decides at *now.
func limiterAt(now *time.Time, rate weir.Rate, options ...weir.Option) *weir.Limiter {
	store := weir.NewMemoryStore(weir.MemoryOptions{Clock: func() time.Time { return *now }})
	store.Close() // there is nothing to sweep here
	limiter, err := weir.New(rate, append(options, weir.WithStore(store))...)
	if err != nil {
		panic(err)
	}
	return limiter
}
