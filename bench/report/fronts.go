package main

var (
	perRequest = [][2]string{{"p99-µs", "p99, µs"}, {"cpu-µs", "server's CPU, µs each"}}
	overBare   = [][2]string{{"allocs", "allocations"}, {"bare-ns", "the bare handler, ns"}}
)

// fronts is what stands between the wire and a decision in memory.
var fronts = section{
	program: "fronts", title: "Fronts",
	intro: "`weir serve` in memory beside servers that answer the same and decide nothing: net/http with as many fields in its answer, a goroutine for each connection that reads commands of RESP, and grpc-go. /check is asked by a trusted proxy for 50 clients; CL.THROTTLE about a million keys at random, and Redis with GCRA as a script the same; the rate limit service and gubernator (one node, the token bucket, no batches; built with the Go that is here, though it asks for a later patch) about 10,000 keys. Limits are such as nobody reaches. `middleware` is what a handler in this process costs more behind a limit by address with all fields that are written by default, in processor time.",
	contests: []contest{
		{"check-default-policy", "/check, the three layers of the default policy, 50 callers", true, perRequest},
		{"check-one-limit", "/check, one limit, 50 callers", false, perRequest},
		{"resp-pipeline-32", "CL.THROTTLE, 50 connections, 32 in a pipeline", true, perRequest},
		{"resp-pipeline-1", "CL.THROTTLE, 50 connections, one at a time", false, perRequest},
		{"rls-in-memory", "Rate limit services in memory, 50 callers", true, perRequest},
		{"middleware", "net/http middleware, over the bare handler", true, overBare},
	},
	aims: []aim{
		{text: "/check by the default policy ≥ 0.9 of net/http", contest: "check-default-policy", one: "weir", other: "noop", unit: "checks/s", want: 0.9},
		{text: "/check by one limit ≥ 0.9 of it", contest: "check-one-limit", one: "weir", other: "noop", unit: "checks/s", want: 0.9},
		{text: "weir's processor time for a check by the default policy, of net/http's", contest: "check-default-policy", one: "weir", other: "noop", unit: "cpu-µs", most: true},
		{text: "the same, one limit", contest: "check-one-limit", one: "weir", other: "noop", unit: "cpu-µs", most: true},
		{text: "RESP, one at a time ≥ 0.9 of a server that decides nothing", contest: "resp-pipeline-1", one: "weir", other: "noop", unit: "decisions/s", want: 0.9},
		{text: "RESP, 32 in a pipeline ≥ 0.9 of it", contest: "resp-pipeline-32", one: "weir", other: "noop", unit: "decisions/s", want: 0.9},
		{text: "≥ 800,000 a second", contest: "resp-pipeline-32", one: "weir", unit: "decisions/s", want: 800_000, absolute: true},
		{text: "≥ 10 × Redis with GCRA as a script", contest: "resp-pipeline-32", one: "weir", other: "redis-lua", unit: "decisions/s", want: 10},
		{text: "weir's processor time for a decision, of what that takes of Redis", contest: "resp-pipeline-32", one: "weir", other: "redis-lua", unit: "cpu-µs", most: true},
		{text: "the rate limit service in memory ≥ 2.4 × gubernator", contest: "rls-in-memory", one: "weir", other: "gubernator", unit: "calls/s", want: 2.4},
		{text: "what a server that decides nothing is of gubernator", contest: "rls-in-memory", one: "noop", other: "gubernator", unit: "calls/s"},
		{text: "weir's processor time for a call, of gubernator's", contest: "rls-in-memory", one: "weir", other: "gubernator", unit: "cpu-µs", most: true},
		{text: "middleware ≤ 500 ns over the bare handler", contest: "middleware", one: "weir", unit: "over-bare-ns", want: 500, most: true, absolute: true},
		{text: "≤ 1 allocation", contest: "middleware", one: "weir", unit: "allocs", want: 1, most: true, absolute: true},
	},
}
