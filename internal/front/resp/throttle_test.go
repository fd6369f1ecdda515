package resp

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

// A line is a command and its reply; +1.5s lets time pass.
func TestThrottleReplies(t *testing.T) {
	for name, lines := range map[string]string{
		"the example of redis-cell": `
			CL.THROTTLE user123 15 30 60 1 = *[0 16 15 -1 2]`,
		"a burst of four, then one a second": `
			CL.THROTTLE a 3 1 1 = *[0 4 3 -1 1]
			CL.THROTTLE a 3 1 1 = *[0 4 2 -1 2]
			CL.THROTTLE a 3 1 1 = *[0 4 1 -1 3]
			CL.THROTTLE a 3 1 1 = *[0 4 0 -1 4]
			CL.THROTTLE a 3 1 1 = *[1 4 0 1 4]
			+999ms
			CL.THROTTLE a 3 1 1 = *[1 4 0 1 4]
			+1ms
			CL.THROTTLE a 3 1 1 = *[0 4 0 -1 4]`,
		"no burst": `
			cl.throttle a 0 1 60 = *[0 1 0 -1 60]
			cl.throttle a 0 1 60 = *[1 1 0 60 60]`,
		"seconds are rounded up": `
			CL.THROTTLE a 0 3 1 = *[0 1 0 -1 1]
			CL.THROTTLE a 0 3 1 = *[1 1 0 1 1]`,
		"a quantity": `
			CL.THROTTLE a 9 10 10 7 = *[0 10 3 -1 7]
			CL.THROTTLE a 9 10 10 4 = *[1 10 3 1 7]
			CL.THROTTLE a 9 10 10 3 = *[0 10 0 -1 10]
			CL.THROTTLE a 9 10 10 10 = *[1 10 0 10 10]`,
		"0 peeks": `
			CL.THROTTLE a 1 1 1 0 = *[0 2 2 -1 0]
			CL.THROTTLE a 1 1 1 2 = *[0 2 0 -1 2]
			CL.THROTTLE a 1 1 1 0 = *[0 2 0 -1 2]`,
		"above the limit: refused, never to pass, nothing changed": `
			CL.THROTTLE a 4 1 1 6 = *[1 5 5 -1 0]
			CL.THROTTLE a 4 1 1 5 = *[0 5 0 -1 5]
			CL.THROTTLE a 4 1 1 9223372036854775807 = *[1 5 0 -1 5]`,
		"other parameters keep what was used": `
			CL.THROTTLE a 9 10 10 6 = *[0 10 4 -1 6]
			CL.THROTTLE a 19 10 10 0 = *[0 20 14 -1 6]
			CL.THROTTLE a 2 10 10 0 = *[0 3 0 -1 3]
			CL.THROTTLE a 9 10 100 0 = *[0 10 4 -1 60]`,
		"databases are apart": `
			CL.THROTTLE a 0 1 1 = *[0 1 0 -1 1]
			SELECT 15 = +OK
			CL.THROTTLE a 0 1 1 = *[0 1 0 -1 1]
			SELECT 0 = +OK
			CL.THROTTLE a 0 1 1 = *[1 1 0 1 1]`,
		"the largest": `
			CL.THROTTLE a 2199023255551 1099511627776 1 = *[0 2199023255552 2199023255551 -1 1]`,
		"arguments": `
			CL.THROTTLE = -ERR wrong number of arguments for 'cl.throttle' command
			CL.THROTTLE a 1 1 = -ERR wrong number of arguments for 'cl.throttle' command
			CL.THROTTLE a 1 1 1 1 1 = -ERR wrong number of arguments for 'cl.throttle' command
			CL.THROTTLE a x 1 1 = -ERR value is not an integer or out of range
			CL.THROTTLE a 1 1.5 1 = -ERR value is not an integer or out of range
			CL.THROTTLE a 1 1 1e3 = -ERR value is not an integer or out of range
			CL.THROTTLE a 1 1 +1 = -ERR value is not an integer or out of range
			CL.THROTTLE a 9223372036854775808 1 1 = -ERR value is not an integer or out of range
			CL.THROTTLE a 18446744073709551617 1 1 = -ERR value is not an integer or out of range
			CL.THROTTLE a 1 1 1 - = -ERR value is not an integer or out of range
			CL.THROTTLE a -1 1 1 = -ERR max_burst must not be negative
			CL.THROTTLE a 1 0 1 = -ERR count must be 1 or more
			CL.THROTTLE a 1 -3 1 = -ERR count must be 1 or more
			CL.THROTTLE a 1 1 0 = -ERR period must be 1 second or more
			CL.THROTTLE a 1 1 1 -1 = -ERR quantity must not be negative`,
		"ranges": `
			CL.THROTTLE a 9223372036854775807 1 1 = -ERR max_burst is out of range
			CL.THROTTLE a 2199023255552 1099511627776 1 = -ERR max_burst + 1 2199023255553 is outside 1 to 2199023255552 for gcra
			CL.THROTTLE a 1 1099511627777 1 = -ERR count 1099511627777 is outside 0 to 1099511627776 for gcra
			CL.THROTTLE a 1 1 9223372036854775807 = -ERR period is out of range
			CL.THROTTLE a 1 1 35164801 = -ERR period is outside 1µs to 407d
			CL.THROTTLE a 1000 1 35164800 = -ERR max_burst + 1 takes longer than 285 years to drain at this rate`,
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, Options{})
			c := s.dial()
			for line := range strings.Lines(lines) {
				line = strings.TrimSpace(line)
				command, want, found := strings.Cut(line, " = ")
				switch {
				case found:
					if got := c.do(command); got != want {
						t.Errorf("%s: %s, want %s", command, got, want)
					}
				case line != "":
					d, err := time.ParseDuration(line)
					if err != nil {
						t.Fatal(err)
					}
					s.pass(d)
				}
			}
		})
	}
}

func TestThrottleRefusesAnEmptyKey(t *testing.T) {
	if got := start(t, Options{}).dial().ask("CL.THROTTLE", "", "1", "1", "1"); got != "-ERR the key is empty: it would be one bucket for everybody" {
		t.Error(got)
	}
}

// Keys are bytes: whatever two differ in makes them two.
func TestThrottleKeysAreBytes(t *testing.T) {
	c := start(t, Options{}).dial()
	for _, key := range []string{"\x00", "\x00\x00", "\r\n", "*1\r\n", "\xff", "ключ", "a b", "{a}", strings.Repeat("k", 60_000)} {
		for _, want := range []string{"*[0 1 0 -1 1]", "*[1 1 0 1 1]"} {
			if got := c.ask("CL.THROTTLE", key, "0", "1", "1"); got != want {
				t.Errorf("%.20q: %s, want %s", key, got, want)
			}
		}
	}
}

// All that has arrived together is one call of the engine, and the replies are in
// the order of the commands, those that need no decision among them.
func TestPipelineIsOneCallWithRepliesInOrder(t *testing.T) {
	s := start(t, Options{})
	c := s.dial()
	var sent strings.Builder
	for i := range 100 {
		sent.WriteString(encoded("CL.THROTTLE", "hot", "49", "50", "3600"))
		sent.WriteString(encoded("ECHO", fmt.Sprint(i)))
		sent.WriteString(encoded("CL.THROTTLE", "bad", "x", "1", "1"))
	}
	c.write(sent.String())
	for i := range 100 {
		want := fmt.Sprintf("*[0 50 %d -1 %d]", 49-i, 72*(i+1))
		if i >= 50 {
			want = "*[1 50 0 72 3600]"
		}
		if got := c.reply(); got != want {
			t.Errorf("%d: %s, want %s", i, got, want)
		}
		if got := c.reply(); got != fmt.Sprint(i) {
			t.Errorf("%d: echo %s", i, got)
		}
		if got := c.reply(); !strings.HasPrefix(got, "-ERR value is not") {
			t.Errorf("%d: %s", i, got)
		}
	}
}

// Numbers of results are written as everywhere else.
func TestAppendCount(t *testing.T) {
	for _, n := range []int64{0, 1, 9, 10, 99, 100, 1_000_001, math.MaxInt64 - 1, math.MaxInt64} {
		if got, want := string(appendCount([]byte(":"), n)), fmt.Sprintf(":%d", n); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
