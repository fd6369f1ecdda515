package weir_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/weirhq/weir"
)

// Every accepted form and how it is printed: the canonical form is read back as
// the same rate.
func TestRateForms(t *testing.T) {
	const day = 24 * time.Hour
	for _, c := range []struct {
		text      string
		rate      weir.Rate
		canonical string
	}{
		{"10/s", weir.PerSecond(10), "10/s"},
		{"10/sec", weir.PerSecond(10), "10/s"},
		{"10/second", weir.PerSecond(10), "10/s"},
		{"10/1s", weir.PerSecond(10), "10/s"},
		{"100/m", weir.PerMinute(100), "100/min"},
		{"100/min", weir.PerMinute(100), "100/min"},
		{"100/minute", weir.PerMinute(100), "100/min"},
		{"100/60s", weir.PerMinute(100), "100/min"},
		{"1000/h", weir.PerHour(1000), "1000/h"},
		{"1000/hour", weir.PerHour(1000), "1000/h"},
		{"5/d", weir.PerDay(5), "5/day"},
		{"5/day", weir.PerDay(5), "5/day"},
		{"5/24h", weir.PerDay(5), "5/day"},
		{"5/w", weir.Per(5, 7*day), "5/7d"},
		{"5/week", weir.Per(5, 7*day), "5/7d"},
		{"5/30d", weir.Per(5, 30*day), "5/30d"},
		{"5/1d12h", weir.Per(5, 36*time.Hour), "5/36h"},
		{"30/10s", weir.Per(30, 10*time.Second), "30/10s"},
		{"30/20m", weir.Per(30, 20*time.Minute), "30/20m"},
		{"30/2h", weir.Per(30, 2*time.Hour), "30/2h"},
		{"100/1h30m", weir.Per(100, 90*time.Minute), "100/1h30m"},
		{"100/90m", weir.Per(100, 90*time.Minute), "100/1h30m"},
		{"100/1h10m", weir.Per(100, 70*time.Minute), "100/1h10m"},
		{"100/1h0m5s", weir.Per(100, time.Hour+5*time.Second), "100/1h0m5s"},
		{"7/ms", weir.Per(7, time.Millisecond), "7/1ms"},
		{"7/1500ms", weir.Per(7, 1500*time.Millisecond), "7/1.5s"},
		{"7/0.5s", weir.Per(7, 500*time.Millisecond), "7/500ms"},
		{"7/100us", weir.Per(7, 100*time.Microsecond), "7/100µs"},
		{"0/s", weir.PerSecond(0), "0/s"},
		{"007/s", weir.PerSecond(7), "7/s"},
		{"9223372036854775807/s", weir.PerSecond(math.MaxInt64), "9223372036854775807/s"},
	} {
		got, err := weir.ParseRate(c.text)
		if err != nil || got != c.rate || got.String() != c.canonical {
			t.Errorf("%q is %v (%s), %v; want %s", c.text, got, got.Period, err, c.canonical)
			continue
		}
		if again, err := weir.ParseRate(c.canonical); err != nil || again != got {
			t.Errorf("%q is %v, %v", c.canonical, again, err)
		}
	}
}

// What is not a rate is an error that says what is wrong and what was probably
// meant; nothing invalid becomes another limit, or none (B43).
func TestB43TextsThatAreNoRate(t *testing.T) {
	for _, c := range []struct{ text, wrong, hint string }{
		{"", "COUNT/PERIOD", "100/min"},
		{"60", "COUNT/PERIOD", "100/min"},
		{"1h30m", "COUNT/PERIOD", "100/1h30m"},
		{"10 per minute", "COUNT/PERIOD", "100/min"},
		{"/s", `count ""`, "whole number"},
		{"+5/s", `count "+5"`, "whole number"},
		{"-5/s", `count "-5"`, "whole number"},
		{"1.5/s", `count "1.5"`, "whole number"},
		{"1e3/s", `count "1e3"`, "whole number"},
		{"0x10/s", `count "0x10"`, "whole number"},
		{"1_000/min", `count "1_000"`, "1000"},
		{"1,000/min", `count "1,000"`, "1000"},
		{" 10/min", `count " 10"`, "whole number"},
		{"10 /min", `count "10 "`, "whole number"},
		{"٣/s", `count "٣"`, "whole number"},
		{"１０/s", `count "１０"`, "whole number"},
		{"NaN/s", `count "NaN"`, "whole number"},
		{"unlimited/s", `count "unlimited"`, "whole number"},
		{"9223372036854775808/s", "9223372036854775807", "whole number"},
		{"98765432198765432198765/s", "9223372036854775807", "whole number"},
		{"5/", `period ""`, "min or 10s"},
		{"5/60", `period "60"`, "60s"},
		{"5/1.5", `period "1.5"`, "1.5s"},
		{"5/0s", `period "0s"`, "above 0"},
		{"5/-10s", `period "-10s"`, "above 0"},
		{"5/mn", `period "mn"`, "did you mean min?"},
		{"5/Min", `period "Min"`, "did you mean min?"},
		{"5/mins", `period "mins"`, "did you mean min?"},
		{"5/minuet", `period "minuet"`, "did you mean minute?"},
		{"5/hr", `period "hr"`, "did you mean h?"},
		{"5/dya", `period "dya"`, "did you mean day?"},
		{"5/S", `period "S"`, "did you mean s?"},
		{"10/min ", `period "min "`, "did you mean min?"},
		{"10/ min", `period " min"`, "did you mean min?"},
		{"5/s/s", `period "s/s"`, ""},
		{"5/month", `period "month"`, "days, such as 30d"},
		{"5/inf", `period "inf"`, ""},
		{"5/1e3s", `period "1e3s"`, ""},
		{"5/1_0s", `period "1_0s"`, ""},
		{"5/٣s", `period "٣s"`, ""},
		{"5/1h30", `period "1h30"`, ""},
		{"5/300y", `period "300y"`, ""},
		{"5/106751d23h59m59s", `period "106751d23h59m59s"`, "such as 10s or 1h30m"},
		{"5/9999999999d", `period "9999999999d"`, ""},
		{"5/9999999h", `period "9999999h"`, ""},
		{"5/1d2d", `period "1d2d"`, ""},
		{"5/s\x00", `period "s\x00"`, ""},
	} {
		got, err := weir.ParseRate(c.text)
		refused, ok := errors.AsType[*weir.RateError](err)
		if !ok || got != (weir.Rate{}) || refused.Text != c.text {
			t.Errorf("%q is %v, %v", c.text, got, err)
			continue
		}
		if !strings.Contains(refused.Reason, c.wrong) || refused.Hint == "" || !strings.Contains(refused.Hint, c.hint) {
			t.Errorf("%q: %v; want %s, and the hint %s", c.text, err, c.wrong, c.hint)
		}
	}
}

// Any rate there can be is read back from what it is printed as.
func TestRateRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	units := []time.Duration{time.Microsecond, time.Millisecond, time.Second, time.Minute, time.Hour, 24 * time.Hour}
	for range 20_000 {
		unit := units[r.IntN(len(units))]
		period := unit * time.Duration(1+r.Int64N(int64(min(407*24*time.Hour/unit, 100_000))))
		if r.IntN(3) == 0 {
			period += time.Duration(r.Int64N(3600)) * units[r.IntN(3)]
		}
		checkRoundTrip(t, weir.Per(r.Int64()>>r.IntN(63), period))
	}
}

func checkRoundTrip(t *testing.T, rate weir.Rate) {
	t.Helper()
	text := rate.String()
	again, err := weir.ParseRate(text)
	if err != nil || again != rate || again.String() != text {
		t.Fatalf("%d per %d ns is printed %q and read %v, %v", rate.Count, rate.Period, text, again, err)
	}
}

// No text makes the parser panic, and what it accepts is a rate that survives
// being printed and read.
func FuzzParseRate(f *testing.F) {
	for _, text := range []string{
		"100/min", "10/s", "5/day", "30/10s", "100/1h30m", "1/1d12h", "5/mn", "10/minute", "1_000/min", "60", "10/min ",
		"+5/s", "1e3/s", "٣/s", "98765432198765432198765/s", "0/s", "5/106751d", "1/1.5ms", "1/100µs", "//", "5/\xff",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rate, err := weir.ParseRate(text)
		if err == nil {
			if rate.Count < 0 || rate.Period <= 0 {
				t.Fatalf("%q is %d per %s", text, rate.Count, rate.Period)
			}
			checkRoundTrip(t, rate)
			return
		}
		refused, ok := errors.AsType[*weir.RateError](err)
		if !ok || refused.Text != text || refused.Reason == "" || refused.Hint == "" || rate != (weir.Rate{}) {
			t.Fatalf("%q: %v, %#v", text, rate, err)
		}
	})
}
