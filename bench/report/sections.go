package main

// section is what one program measured.
type section struct {
	program, title, intro string
	contests              []contest
	aims                  []aim
}

// contest is a table. What it has beside the first figure is in columns, as unit and
// heading.
type contest struct {
	name, title string
	chart       bool
	columns     [][2]string
}

// aim is what one contender's figure is to be, as a multiple of another's.
type aim struct {
	text         string
	contest, one string
	otherContest string // the same, if empty
	other        string
	unit         string
	want         float64 // 0, and not absolute: nothing; the figure explains the others
	most         bool    // want is the most that the cost may be of the other's; otherwise the least that one is better
	absolute     bool    // want is a figure, not a multiple
}

var (
	perCall    = [][2]string{{"p99-µs", "p99, µs"}, {"cpu-µs", "server's CPU, µs a call"}, {"redis-cpu-µs", "Redis's CPU, µs a call"}}
	perTake    = [][2]string{{"cpu-ns", "CPU, ns each"}, {"allocs", "allocations each"}}
	perCommand = [][2]string{{"p99-µs", "p99, µs"}, {"redis-cpu-µs", "Redis's CPU, µs each"}, {"server-µs", "in scripts, µs each"}, {"failed-%", "failed, %"}}
	weight     = [][2]string{{"gc-ms", "a forced collection, ms"}}
)

var sections = []section{
	{
		program: "envoy", title: "Envoy's rate limit service",
		intro: "`weir serve --envoy-config` beside envoyproxy/ratelimit with its defaults and with the pipeline that its documentation advises for busy services, both on the same Redis, and beside a server of grpc-go that answers without deciding. `weir-memory` is weir without Redis. Callers ask over two connections. Each descriptor has one of 10,000 values and a fixed window that nobody reaches.",
		contests: []contest{
			{"rls-callers-50-descriptors-1", "50 callers, one descriptor", true, perCall},
			{"rls-callers-50-descriptors-3", "50 callers, three descriptors", false, perCall},
			{"rls-callers-1-descriptors-1", "One caller, one descriptor", false, perCall},
			{"rls-callers-1-descriptors-3", "One caller, three descriptors", false, perCall},
			{"rls-callers-200-descriptors-1", "200 callers, one descriptor", false, perCall},
			{"rls-callers-200-descriptors-3", "200 callers, three descriptors", false, perCall},
		},
		aims: []aim{
			{text: "RLS on Redis ≥ 2.5 × envoyproxy/ratelimit", contest: "rls-callers-50-descriptors-1", one: "weir", other: "ratelimit", unit: "calls/s", want: 2.5},
			{text: "the same, three descriptors", contest: "rls-callers-50-descriptors-3", one: "weir", other: "ratelimit", unit: "calls/s", want: 2.5},
			{text: "RLS on Redis ≥ 0.8 of the server that decides nothing", contest: "rls-callers-50-descriptors-1", one: "weir", other: "noop", unit: "calls/s", want: 0.8},
			{text: "what a server that decides nothing is of envoyproxy/ratelimit", contest: "rls-callers-50-descriptors-1", one: "noop", other: "ratelimit", unit: "calls/s"},
			{text: "weir's processor time for a call, of envoyproxy/ratelimit's", contest: "rls-callers-50-descriptors-1", one: "weir", other: "ratelimit", unit: "cpu-µs", most: true},
			{text: "RLS in memory ≥ 0.85 of it", contest: "rls-callers-50-descriptors-1", one: "weir-memory", other: "noop", unit: "calls/s", want: 0.85},
		},
	},
	fronts,
	{
		program: "inprocess", title: "In process",
		intro: "One limiter in a process of its own. `weir` is GCRA through `Limiter.Allow`, `weir-sliding` the sliding counter. x/time/rate and failsafe-go know no keys and stand in a sync.Map. `map+clock` looks a key up in a map and reads the clock: no limiter by key does less. Of three layers weir decides all in one call; of the others three are asked in order.",
		contests: []contest{
			{"one-key-1-core", "One key, one core", true, perTake},
			{"one-key-2-cores", "One key, two cores", false, perTake},
			{"refused-1-core", "One key that is refused, one core", false, perTake},
			{"refused-2-cores", "One key that is refused, two cores", false, perTake},
			{"random-keys-2-cores", "A million keys at random, two cores", true, perTake},
			{"random-idle-keys-2-cores", "The same with limits that forget a request in 36 ms, so that keys are as new when they come again", false, perTake},
			{"three-layers-1-core", "Three layers, one key, one core", false, perTake},
			{"three-layers-2-cores", "Three layers, one key, two cores", false, perTake},
			{"keys-held", "Ten million keys held", true, weight},
		},
		aims: []aim{
			{text: "one hot key ≥ 1.7 × x/time/rate", contest: "one-key-1-core", one: "weir", other: "x/time", unit: "decisions/s", want: 1.7},
			{text: "≥ 1.7 × go-limiter", contest: "one-key-1-core", one: "weir", other: "go-limiter", unit: "decisions/s", want: 1.7},
			{text: "≥ 1.7 × throttled", contest: "one-key-1-core", one: "weir", other: "throttled", unit: "decisions/s", want: 1.7},
			{text: "≥ 1.7 × ulule", contest: "one-key-1-core", one: "weir", other: "ulule", unit: "decisions/s", want: 1.7},
			{text: "what a look into a map and at the clock is of go-limiter", contest: "one-key-1-core", one: "map+clock", other: "go-limiter", unit: "decisions/s"},
			{text: "the same of weir, by processor time", contest: "one-key-1-core", one: "map+clock", other: "weir", unit: "cpu-ns"},
			{text: "a million random keys ≥ 8 × x/time/rate", contest: "random-keys-2-cores", one: "weir", other: "x/time", unit: "decisions/s", want: 8},
			{text: "≥ 5 × go-limiter", contest: "random-keys-2-cores", one: "weir", other: "go-limiter", unit: "decisions/s", want: 5},
			{text: "ten million keys at ≤ 32 bytes each", contest: "keys-held", one: "weir", unit: "bytes/key", want: 32, most: true, absolute: true},
			{text: "a forced collection ≤ 10 ms", contest: "keys-held", one: "weir", unit: "gc-ms", want: 10, most: true, absolute: true},
			{text: "no allocations", contest: "random-keys-2-cores", one: "weir", unit: "allocs", want: 0, most: true, absolute: true},
			{text: "what a look into a map and at the clock is of x/time/rate, at random keys", contest: "random-keys-2-cores", one: "map+clock", other: "x/time", unit: "decisions/s"},
			{text: "three layers ≤ 400 ns", contest: "three-layers-1-core", one: "weir", unit: "cpu-ns", want: 400, most: true, absolute: true},
			{text: "stretch: a refusal at half an admission's cost on two cores", contest: "refused-2-cores", one: "weir", otherContest: "one-key-2-cores", other: "weir", unit: "cpu-ns", want: 0.5, most: true},
		},
	},
	{
		program: "onredis", title: "On Redis",
		intro: "Limiters on one Redis in the same process. redis_rate, throttled and ulule use go-redis with a connection for each caller; `redis_rate-pipeline` uses its AutoPipeline, which its authors call experimental. `weir-alone` does not share calls among those who ask the same at the same time. `evalsha` is a script of `return 1` and `incr` a bare INCR, through weir's client. \"In scripts\" is the server's own account (INFO commandstats) of EVALSHA, or of INCR; it is wall time, which a busy machine makes longer.",
		contests: []contest{
			{"keys-callers-128", "100,000 keys, 128 callers", true, perCommand},
			{"keys-callers-16", "100,000 keys, 16 callers", false, perCommand},
			{"one-key-callers-128", "One key, 128 callers", true, perCommand},
			{"refused-callers-128", "One key that is refused, 128 callers", true, perCommand},
			{"three-layers-callers-128", "Three layers, 128 callers", false, perCommand},
		},
		aims: []aim{
			{text: "GCRA ≥ 3 × redis_rate (stretch 4)", contest: "keys-callers-128", one: "weir", other: "redis_rate", unit: "decisions/s", want: 3},
			{text: "≥ 0.45 of a bare EVALSHA (stretch 0.6)", contest: "keys-callers-128", one: "weir", other: "evalsha", unit: "decisions/s", want: 0.45},
			{text: "one hot key ≥ 20 × redis_rate", contest: "one-key-callers-128", one: "weir", other: "redis_rate", unit: "decisions/s", want: 20},
			{text: "a refused hot key with the deny cache ≥ 100 × redis_rate", contest: "refused-callers-128", one: "weir-deny-cache", other: "redis_rate", unit: "decisions/s", want: 100},
			{text: "p99 at 16 callers no worse than redis_rate's", contest: "keys-callers-16", one: "weir", other: "redis_rate", unit: "p99-µs", want: 1},
			{text: "three layers in one call ≤ 2 × one layer, in time", contest: "three-layers-callers-128", one: "weir", otherContest: "keys-callers-128", other: "weir", unit: "decisions/s", want: 0.5},
			{text: "the server's time for a decision ≤ 18 × INCR", contest: "keys-callers-128", one: "weir", other: "incr", unit: "server-µs", want: 18, most: true},
			{text: "for a refusal ≤ 10 × INCR", contest: "refused-callers-128", one: "weir-alone", otherContest: "keys-callers-128", other: "incr", unit: "server-µs", want: 10, most: true},
			{text: "for three layers in one call ≤ 40 × INCR", contest: "three-layers-callers-128", one: "weir", otherContest: "keys-callers-128", other: "incr", unit: "server-µs", want: 40, most: true},
			{text: "Redis's CPU on a hot key ≥ 15 × less than one call each", contest: "one-key-callers-128", one: "weir", other: "weir-alone", unit: "redis-cpu-µs", want: 15},
		},
	},
}
