package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strconv"
)

const (
	keyDigits = 8
	burst     = 1_000_000 // which nobody uses up
	period    = 3600      // s, in which one comes back: a key lives for an hour after one call
	admission = "*5\r\n:0\r\n"
	lines     = 6 // of an answer
)

// commands are what each server takes, as texts with a key of keyDigits digits.
func (b *bench) command(name, script string) func(key, burst int) string {
	if name == "redis-lua" {
		return func(key, burst int) string {
			return words("EVALSHA", script, "1", keyOf(key), strconv.Itoa(burst), "1", strconv.Itoa(period), "1")
		}
	}
	return func(key, burst int) string {
		return words("CL.THROTTLE", keyOf(key), strconv.Itoa(burst), "1", strconv.Itoa(period))
	}
}

func keyOf(key int) string { return fmt.Sprintf("user:%0*d", keyDigits, key) }

func words(all ...string) string {
	text := fmt.Sprintf("*%d\r\n", len(all))
	for _, word := range all {
		text += fmt.Sprintf("$%d\r\n%s\r\n", len(word), word)
	}
	return text
}

func (b *bench) prepareThrottle(name string, pipeline int) (turn, error) {
	v, err := b.startThrottler(name)
	if err != nil {
		return nil, err
	}
	one := &asker{address: v.resp, answer: make([]byte, 64<<10)}
	defer one.Close()
	script := ""
	if name == "redis-lua" {
		if script, err = one.loadScript(gcra); err != nil {
			return nil, err
		}
	}
	command := b.command(name, script)
	if name != "noop" {
		if err := one.checkLimits(command, pipeline); err != nil {
			return nil, err
		}
		if err := one.fill(command, b.keys); err != nil {
			return nil, err
		}
		if held, err := v.held(one, name); err != nil || held < b.keys*99/100 { // one may have made room for another
			return nil, fmt.Errorf("%d keys are held of %d: %v", held, b.keys, err)
		}
	}
	askers := b.askers(v.resp, 64*pipeline)
	pipelines := make([]*commands, b.callers)
	for i := range pipelines {
		pipelines[i] = newCommands(command, pipeline)
	}
	return load{b.settings, v.pid, pipeline, "decisions/s", func(caller int) error {
		p := pipelines[caller]
		p.choose(b.keys)
		return askers[caller].askAll(p)
	}}.turn, nil
}

func (b *bench) startThrottler(name string) (*server, error) {
	switch name {
	case "weir":
		return b.startWeir("one")
	case "redis-lua":
		return b.startRedis()
	default:
		return b.startNothing("resp")
	}
}

// commands is a pipeline that is written once. Only the digits of its keys change.
type commands struct {
	text  []byte
	keys  []int // where the digits of each begin
	count int
}

func newCommands(command func(key, burst int) string, n int) *commands {
	p := &commands{count: n}
	for range n {
		one := command(0, burst)
		at := bytes.Index([]byte(one), []byte("user:")) + len("user:")
		p.keys = append(p.keys, len(p.text)+at)
		p.text = append(p.text, one...)
	}
	return p
}

// choose takes keys at random.
func (p *commands) choose(keys int) {
	for _, at := range p.keys {
		p.name(at, rand.IntN(keys))
	}
}

func (p *commands) name(at, key int) {
	for i := at + keyDigits - 1; i >= at; i-- {
		p.text[i] = '0' + byte(key%10)
		key /= 10
	}
}

// askAll wants all to be admitted.
func (a *asker) askAll(p *commands) error {
	seen, found := 0, 0
	answer, err := a.exchange(p.text, func(answer []byte) bool {
		found += bytes.Count(answer[seen:], []byte{'\n'})
		seen = len(answer)
		return found >= lines*p.count
	})
	if err == nil && bytes.Count(answer, []byte(admission)) != p.count {
		err = fmt.Errorf("%d admissions wanted: %.300q", p.count, answer)
	}
	return err
}

// checkLimits wants that of five a key the sixth is refused, for each key by itself.
func (a *asker) checkLimits(command func(key, burst int) string, pipeline int) error {
	for key := range 20 {
		for n := range 6 {
			text := command(10_000_000*pipeline+key, 4) // which nobody asks for in a turn
			answer, err := a.exchange([]byte(text), func(answer []byte) bool { return bytes.Count(answer, []byte{'\n'}) == lines })
			if err != nil || bytes.HasPrefix(answer, []byte(admission)) != (n < 5) {
				return fmt.Errorf("call %d of key %d: %q, %v", n+1, key, answer, err)
			}
		}
	}
	return nil
}

const together = 500 // commands, to fill

// fill asks once for each key there is.
func (a *asker) fill(command func(key, burst int) string, keys int) error {
	p := newCommands(command, together)
	for first := 0; first < keys; first += together {
		for i, at := range p.keys {
			p.name(at, min(first+i, keys-1))
		}
		if err := a.askAll(p); err != nil {
			return err
		}
	}
	return nil
}

func (a *asker) loadScript(text string) (sha string, err error) {
	answer, err := a.exchange([]byte(words("SCRIPT", "LOAD", text)), func(answer []byte) bool { return bytes.Count(answer, []byte{'\n'}) == 2 })
	if err != nil || answer[0] != '$' {
		return "", fmt.Errorf("%q: %v", answer, err)
	}
	return string(bytes.Fields(answer)[1]), nil
}

var heldKeys = regexp.MustCompile(`(?m)^weir_memory_keys (\S+)$`)

// held is how many keys a server says that it holds.
func (v *server) held(a *asker, name string) (int, error) {
	if name == "redis-lua" {
		answer, err := a.exchange([]byte(words("DBSIZE")), func(answer []byte) bool { return bytes.Count(answer, []byte{'\n'}) == 1 })
		if err != nil {
			return 0, err
		}
		return strconv.Atoi(string(bytes.Trim(answer, ":\r\n")))
	}
	answer, err := http.Get("http://" + v.rest + "/metrics")
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	found := heldKeys.FindSubmatch(text)
	if err != nil || found == nil {
		return 0, fmt.Errorf("weir does not tell: %v", err)
	}
	n, err := strconv.ParseFloat(string(found[1]), 64)
	return int(n), err
}

// gcra is GCRA as a script, written as those are who know what is dear in one: the
// state is one number, one GET and one SET, and no write on a refusal. It answers what
// CL.THROTTLE does. Times are in µs; the arrival time is told in whole ones.
const gcra = `
local burst, count, period, cost = tonumber(ARGV[1]) + 1, tonumber(ARGV[2]), tonumber(ARGV[3]) * 1e6, tonumber(ARGV[4])
local time = redis.call('TIME')
local now, each = time[1] * 1e6 + time[2], period / count
local arrival = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now)
local after = arrival + cost * each
local early = after - burst * each - now
if early > 0 then
	return {1, burst, math.floor((burst * each - (arrival - now)) / each), math.ceil(early / 1e6), math.ceil((arrival - now) / 1e6)}
end
redis.call('SET', KEYS[1], string.format('%.0f', after), 'PX', math.ceil((after - now) / 1000))
return {0, burst, math.floor((burst * each - (after - now)) / each), -1, math.ceil((after - now) / 1e6)}
`
