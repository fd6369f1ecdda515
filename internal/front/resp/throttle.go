package resp

import (
	"errors"
	"time"

	"github.com/weirhq/weir"
)

// layer is the namespace of checks without a policy. Their keys are in one space
// for each database, whatever their parameters: a change of these is a change of
// the limit, which keeps what was used, and DEL needs the key alone.
const layer = "adhoc"

var spaces = [...]string{
	"throttle", "throttle#1", "throttle#2", "throttle#3", "throttle#4", "throttle#5", "throttle#6", "throttle#7",
	"throttle#8", "throttle#9", "throttle#10", "throttle#11", "throttle#12", "throttle#13", "throttle#14", "throttle#15",
}

const noDecision = "-ERR no decision could be made\r\n"

// throttle is CL.THROTTLE key max_burst count period [quantity]; args are what
// follows its name. It reports whether there is anything to decide.
func (c *connection) throttle(args [][]byte) bool {
	var p parameters
	numbers := [...]*int64{&p.maxBurst, &p.count, &p.period, &p.quantity}
	p.quantity = 1
	for i, text := range args[1:] {
		n, ok := integer(text)
		if !ok {
			c.fail("ERR value is not an integer or out of range")
			return false
		}
		*numbers[i] = n
	}
	if wrong := p.wrong(args[0]); wrong != "" {
		c.fail(wrong)
		return false
	}
	limit, err := c.limits.limit(p.maxBurst, p.count, p.period)
	if err != nil {
		c.fail(worded(err))
		return false
	}
	c.ask(spaces[c.database], args[0], limit, p.quantity)
	return true
}

type parameters struct{ maxBurst, count, period, quantity int64 }

// maxSeconds is far above what a limit may have, and fits a duration.
const maxSeconds = 1 << 33

func (p *parameters) wrong(key []byte) string {
	switch {
	case len(key) == 0:
		return "ERR the key is empty: it would be one bucket for everybody"
	case p.maxBurst < 0:
		return "ERR max_burst must not be negative"
	case p.maxBurst+1 < 0:
		return "ERR max_burst is out of range"
	case p.count < 1:
		return "ERR count must be 1 or more"
	case p.period < 1:
		return "ERR period must be 1 second or more"
	case p.period > maxSeconds:
		return "ERR period is out of range"
	case p.quantity < 0:
		return "ERR quantity must not be negative"
	}
	return ""
}

// worded is what a client is told of a limit that cannot be represented.
func worded(err error) string {
	var outside *weir.LimitError
	if !errors.As(err, &outside) {
		return "ERR the limit is out of range"
	}
	field := outside.Field
	if field == "burst" {
		field = "max_burst + 1"
	}
	return "ERR " + field + " " + outside.Reason
}

// integer reads a decimal integer of 64 bits.
func integer(text []byte) (n int64, ok bool) {
	digits := text
	negative := len(text) > 0 && text[0] == '-'
	if negative {
		digits = text[1:]
	}
	if len(digits) == 0 || len(digits) > 19 {
		return 0, false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int64(c-'0') // 19 digits do not wrap around to a positive number
	}
	if n < 0 {
		return 0, false
	}
	if negative {
		n = -n
	}
	return n, true
}

// limits remembers the limits that a connection has named last, of which there
// are few: each is compiled once, and is one and the same to the store.
type limits struct {
	recent [8]namedLimit
	next   int
}

type namedLimit struct {
	maxBurst, count, period int64
	limit                   *weir.Limit
}

func (l *limits) limit(maxBurst, count, period int64) (*weir.Limit, error) {
	for i := range l.recent {
		if r := &l.recent[i]; r.limit != nil && r.maxBurst == maxBurst && r.count == count && r.period == period {
			return r.limit, nil
		}
	}
	limit, err := weir.NewLimit(weir.Per(count, time.Duration(period)*time.Second), weir.WithBurst(maxBurst+1))
	if err != nil {
		return nil, err
	}
	l.recent[l.next] = namedLimit{maxBurst, count, period, limit}
	l.next = (l.next + 1) % len(l.recent)
	return limit, nil
}

// appendResult is the reply as redis-cell has it: limited, limit, remaining,
// retry_after and reset_after, the latter two in whole seconds. They are rounded
// up, so that whoever waits them is not too early. retry_after is -1 where there
// is nothing to wait for: the call was allowed, or its quantity is above the
// limit and never will be.
func appendResult(out []byte, r *weir.Result) []byte {
	head, retry := "*5\r\n:0\r\n:", int64(-1)
	if !r.Allowed {
		head = "*5\r\n:1\r\n:"
		if r.RetryAfter != weir.Never {
			retry = seconds(r.RetryAfter)
		}
	}
	out = appendCount(append(out, head...), r.Limit)
	out = appendCount(append(out, "\r\n:"...), r.Remaining)
	if retry < 0 {
		out = append(out, "\r\n:-1\r\n:"...)
	} else {
		out = appendCount(append(out, "\r\n:"...), retry)
		out = append(out, "\r\n:"...)
	}
	out = appendCount(out, seconds(r.ResetAfter))
	return append(out, "\r\n"...)
}

// appendCount is strconv.AppendInt for n ≥ 0, in two thirds of its time: with that a
// reply's numbers were 6% of a command's.
func appendCount(out []byte, n int64) []byte {
	var digits [19]byte
	at := len(digits) - 1
	for ; n > 9; n /= 10 {
		digits[at] = byte('0' + n%10)
		at--
	}
	digits[at] = byte('0' + n)
	return append(out, digits[at:]...)
}

func seconds(d time.Duration) int64 {
	s := int64(d / time.Second)
	if d%time.Second > 0 {
		s++
	}
	return s
}

// forget is DEL key [key ...]. It waits for the takes that came before it.
func (c *connection) forget(args [][]byte) {
	if c.Token == "" {
		c.fail("NOPERM DEL needs the admin token, and this weir has none: set WEIR_ADMIN_TOKEN")
		return
	}
	if !c.authenticated {
		c.fail("NOAUTH DEL needs the admin token: send it with AUTH")
		return
	}
	if !c.flush() {
		return
	}
	keys := make([]weir.Key, 0, len(args))
	for _, key := range args {
		keys = append(keys, weir.Key{Layer: layer, Limit: spaces[c.database], Identity: string(key)})
	}
	if err := c.engine.Forget(c.ctx, keys); err != nil {
		c.fail("ERR the store does not answer; whether it was deleted is not known")
		return
	}
	c.ready = appendInteger(c.ready, int64(len(keys)))
}
