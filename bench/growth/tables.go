package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/bench/turns"
)

// blocks are the parts of the page that are computed.
func (p *page) blocks() map[string]func() string {
	return map[string]func() string{
		"machine":   p.machine,
		"million":   p.million,
		"scripts":   p.scriptsTable,
		"keys":      p.keysTable,
		"keysredis": p.keysRedisTable,
		"layers":    p.layersTable,
		"log":       p.logTable,
		"callers":   p.callersTable,
		"hot":       p.hotTable,
		"processes": p.processesTable,
		"masters":   p.mastersTable,
	}
}

// machine says on what all was measured.
func (p *page) machine() string {
	var versions []string
	machine := ""
	for i, line := range p.heading {
		if version, ok := strings.CutPrefix(line, "version "); ok {
			versions = append(versions, version)
		} else if i == 0 {
			machine = line
		}
	}
	rounds := p.spread("scripts", "incr", "µs").Rounds
	return fmt.Sprintf("Measured on: %s at the start, with that of the end in the file; %s. Medians of %d rounds. Every round is in [%s](../bench/results/%s).",
		machine, strings.Join(versions, "; "), rounds, p.result, p.result)
}

// cores is what a million decisions a second take of processors, if one takes so many
// µs of one.
func cores(µs float64) string {
	return shown(µs)
}

// masters is how many servers it takes, each on a core of its own, if the busiest has
// so many times its part.
func masters(µs, uneven float64) string {
	return fmt.Sprint(math.Max(1, math.Ceil(µs*uneven)))
}

func (p *page) million() string {
	heading := []string{"a million decisions a second", "decisions/s in this run", "callers' cores", "Redis's cores", "masters"}
	var rows [][]string
	add := func(what string, rate, own, redis float64, servers string) {
		rows = append(rows, []string{what, shown(rate), cores(own), cores(redis), servers})
	}
	n := p.upTo("keys-memory", "gcra", 1_000_000)
	in := name("gcra", n)
	add("in process, GCRA, "+whole(n)+" keys", p.median("keys-memory", in, "decisions/s"), p.median("keys-memory", in, "all-cores-cpu-ns")/1000, 0, "none")
	layers := p.upTo("layers-memory", "sliding-counter", 3)
	in = name("sliding-counter", layers)
	add(fmt.Sprintf("in process, %d layers by the sliding counter, one core", layers), p.median("layers-memory", in, "decisions/s"), p.median("layers-memory", in, "cpu-ns")/1000, 0, "none")
	onRedis := func(what, contest, contender string, uneven float64) {
		redis := p.median(contest, contender, "redis-cpu-µs")
		servers := masters(redis, uneven)
		if redis == 0 {
			servers = "none"
		}
		add(what, p.median(contest, contender, "decisions/s"), p.median(contest, contender, "cpu-µs"), redis, servers)
	}
	most := p.upTo("processes-redis", "gcra", 64)
	onRedis("one process on one Redis, GCRA, a key each", "processes-redis", name("gcra", p.upTo("processes-redis", "gcra", 1)), 1)
	onRedis(fmt.Sprintf("%d processes on one Redis", most), "processes-redis", name("gcra", most), 1)
	layers = p.upTo("layers-redis", "sliding-counter", 3)
	onRedis(fmt.Sprintf("%d layers in one call, sliding counter", layers), "layers-redis", name("sliding-counter", layers), 1)
	m := p.upTo("masters-redis", "gcra", 64)
	busiest := p.median("masters-redis", name("gcra", m), "busiest") * float64(m)
	onRedis(fmt.Sprintf("%d masters of a cluster, GCRA", m), "masters-redis", name("gcra", m), busiest)
	callers := p.upTo("callers-hot", "shared", 1<<20)
	onRedis(fmt.Sprintf("one hot key, %d callers, calls shared", callers), "callers-hot", name("shared", callers), 1)
	onRedis(fmt.Sprintf("one hot key, %d callers, by leases", callers), "callers-hot", name("leased", callers), 1)
	onRedis(fmt.Sprintf("one hot key, %d callers, refused by the deny cache", callers), "callers-hot", name("deny-cache", callers), 1)
	return table(heading, rows)
}

func (p *page) scriptsTable() string {
	least := func(contender string) float64 { return p.spread("scripts", contender, "µs").Least }
	cpu := func(contender string) turns.Spread { return p.spread("scripts", contender, "redis-cpu-µs") }
	var rows [][]string
	add := func(what, contender string) {
		own := cpu(contender)
		rows = append(rows, []string{what, shown(least(contender)), shown(least(contender) / least("return-1")), ranged(own), shown(own.Median / cpu("return-1").Median), shown(own.Median / cpu("incr").Median)})
	}
	add("`INCR`", "incr")
	add("`EVALSHA` of `return 1`", "return-1")
	for _, a := range weir.Algorithms() {
		add(a.String()+", admitted", a.String()+"/admitted")
		add(a.String()+", refused", a.String()+"/refused")
	}
	return table([]string{"command", "µs a call", "× `return 1`", "CPU of Redis, µs", "× `return 1`", "× `INCR`"}, rows)
}

func (p *page) keysTable() string {
	var rows [][]string
	for _, kind := range stateKinds {
		for _, n := range numbers(p.Results, "keys-memory", kind) {
			at := func(unit string) string { return shown(p.median("keys-memory", name(kind, n), unit)) }
			rows = append(rows, []string{kind, whole(n), ranged(p.spread("keys-memory", name(kind, n), "cpu-ns")), at("decisions/s"), at("bytes"), p.byClock("keys-memory", name(kind, n), "gc-ms")})
		}
	}
	return table([]string{"algorithm", "keys", "CPU, ns a decision", "decisions/s, all cores", "bytes a key", "forced GC, ms"}, rows)
}

func (p *page) keysRedisTable() string {
	var rows [][]string
	for _, kind := range stateKinds {
		for _, n := range numbers(p.Results, "keys-redis", kind) {
			at := func(unit string) string { return shown(p.median("keys-redis", name(kind, n), unit)) }
			rows = append(rows, []string{kind, whole(n), ranged(p.spread("keys-redis", name(kind, n), "decisions/s")), at("p99-µs"), at("redis-cpu-µs"), at("bytes"), at("used-bytes")})
		}
	}
	return table([]string{"algorithm", "keys", "decisions/s", "p99, µs", "CPU of Redis, µs", "bytes by `MEMORY USAGE`", "bytes of `used_memory`"}, rows)
}

func (p *page) layersTable() string {
	var rows [][]string
	for _, kind := range stateKinds {
		one := p.median("layers-redis", name(kind, p.upTo("layers-redis", kind, 1)), "redis-cpu-µs")
		for _, n := range numbers(p.Results, "layers-redis", kind) {
			redis := p.spread("layers-redis", name(kind, n), "redis-cpu-µs")
			rows = append(rows, []string{kind, whole(n), ranged(p.spread("layers-memory", name(kind, n), "cpu-ns")), ranged(redis), shown(redis.Median / one),
				p.byClock("layers-redis", name(kind, n), "µs"), shown(p.median("layers-redis", name(kind, n), "decisions/s"))})
		}
	}
	return table([]string{"algorithm", "layers", "in memory: CPU, ns", "CPU of Redis, µs", "× one layer", "the script alone, µs", "requests/s"}, rows)
}

func (p *page) logTable() string {
	var rows [][]string
	for _, n := range numbers(p.Results, "log-redis", "log") {
		at := func(contest, unit string) float64 { return p.median(contest, name("log", n), unit) }
		script := func(unit string) string { return p.byClock("log-redis", name("log", n), unit) }
		row := []string{whole(n)}
		for _, contest := range []string{"log-memory", "log-redis"} {
			bytes := at(contest, "bytes")
			row = append(row, shown(bytes), shown(bytes/float64(n)))
		}
		rows = append(rows, append(row, shown(at("log-memory", "admitted-cpu-ns")), shown(at("log-memory", "refused-cpu-ns")), script("admitted-µs"), script("refused-µs")))
	}
	return table([]string{"limit", "in memory, bytes", "an entry", "on Redis, bytes", "an entry", "in memory: admitted, CPU ns", "refused, CPU ns", "script on Redis: admitted, µs", "refused, µs"}, rows)
}

func (p *page) callersTable() string {
	var rows [][]string
	for _, n := range numbers(p.Results, "callers-redis", "gcra") {
		at := func(unit string) string { return shown(p.median("callers-redis", name("gcra", n), unit)) }
		rows = append(rows, []string{whole(n), shown(p.median("callers-memory", name("gcra", n), "cpu-ns")), ranged(p.spread("callers-redis", name("gcra", n), "decisions/s")),
			at("p50-µs"), at("p99-µs"), at("redis-cpu-µs"), at("cpu-µs")})
	}
	return table([]string{"callers", "in memory: CPU, ns", "on Redis, decisions/s", "p50, µs", "p99, µs", "CPU of Redis, µs", "CPU of the callers, µs"}, rows)
}

func (p *page) hotTable() string {
	says := map[string]string{"call-each": "a call each", "shared": "shared calls", "deny-cache": "refused by the deny cache", "leased": "leased"}
	var rows [][]string
	for _, kind := range hotKinds {
		for _, n := range numbers(p.Results, "callers-hot", kind) {
			at := func(unit string) string { return shown(p.median("callers-hot", name(kind, n), unit)) }
			rows = append(rows, []string{says[kind], whole(n), ranged(p.spread("callers-hot", name(kind, n), "decisions/s")), at("p99-µs"), at("calls"), at("redis-cpu-µs"), at("cpu-µs")})
		}
	}
	return table([]string{"", "callers", "decisions/s", "p99, µs", "calls a decision", "CPU of Redis, µs", "CPU of the callers, µs"}, rows)
}

func (p *page) processesTable() string {
	var rows [][]string
	for _, n := range numbers(p.Results, "processes-redis", "gcra") {
		at := func(unit string) string { return shown(p.median("processes-redis", name("gcra", n), unit)) }
		rows = append(rows, []string{whole(n), ranged(p.spread("processes-redis", name("gcra", n), "decisions/s")), at("p99-µs"), at("redis-cpu-µs"), at("cpu-µs")})
	}
	return table([]string{"processes", "decisions/s of all", "p99, µs", "CPU of Redis, µs", "CPU of the callers, µs"}, rows)
}

func (p *page) mastersTable() string {
	var rows [][]string
	for _, n := range numbers(p.Results, "masters-redis", "gcra") {
		contender := name("gcra", n)
		at := func(unit string) float64 { return p.median("masters-redis", contender, unit) }
		rows = append(rows, []string{whole(n), ranged(p.spread("masters-redis", contender, "decisions/s")), shown(at("redis-cpu-µs")), shown(100 * at("busiest")), shown(fills(at("redis-cpu-µs"), at("busiest")))})
	}
	return table([]string{"masters", "decisions/s", "CPU of all masters, µs a decision", "the busiest has, %", "decisions/s that fill the busiest's core"}, rows)
}
