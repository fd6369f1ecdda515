package weir

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Rate is a number of requests per period, such as 100 per minute. A Count of 0
// blocks. The zero Rate has no period and is refused by [NewLimit].
type Rate struct {
	Count  int64         // requests, ≥ 0
	Period time.Duration // whole microseconds, 1 µs to 407 days
}

// PerSecond is n requests a second.
func PerSecond(n int64) Rate { return Rate{n, time.Second} }

// PerMinute is n requests a minute.
func PerMinute(n int64) Rate { return Rate{n, time.Minute} }

// PerHour is n requests an hour.
func PerHour(n int64) Rate { return Rate{n, time.Hour} }

// PerDay is n requests in 24 hours.
func PerDay(n int64) Rate { return Rate{n, day} }

// Per is n requests in any period.
func Per(n int64, period time.Duration) Rate { return Rate{n, period} }

const (
	day  = 24 * time.Hour
	week = 7 * day
)

// periods are the words a period may be written as, beside a duration.
var periods = map[string]time.Duration{
	"ms": time.Millisecond,
	"s":  time.Second, "sec": time.Second, "second": time.Second,
	"m": time.Minute, "min": time.Minute, "minute": time.Minute,
	"h": time.Hour, "hour": time.Hour,
	"d": day, "day": day,
	"w": week, "week": week,
}

// calendar has the words that are no period, and what is meant by them, more or less.
var calendar = map[string]string{
	"mo": "30d", "month": "30d", "months": "30d",
	"y": "365d", "year": "365d", "years": "365d",
}

// ParseRate reads COUNT/PERIOD: "100/min", "10/s", "5/day", "30/10s",
// "100/1h30m". COUNT is a plain decimal integer; PERIOD is a unit (s, min, h,
// day, week; longer spellings too) or a duration with units, days as "2d". The
// error is a *[RateError].
func ParseRate(text string) (Rate, error) {
	count, period, found := strings.Cut(text, "/")
	if !found {
		return Rate{}, &RateError{text, "is not COUNT/PERIOD", "write it as 100/min, 10/s, 30/10s or 100/1h30m"}
	}
	n, err := parseCount(count)
	if err != nil {
		return Rate{}, &RateError{text, err.Error(), "a count is a plain whole number such as 1000"}
	}
	d, hint := ParsePeriod(period)
	if hint != "" {
		return Rate{}, &RateError{text, fmt.Sprintf("has a period %q that is not one", period), hint}
	}
	return Rate{n, d}, nil
}

func parseCount(text string) (int64, error) {
	n, err := strconv.ParseUint(text, 10, 63)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("has a count above %d", int64(math.MaxInt64))
	case err != nil:
		return 0, fmt.Errorf("has a count %q that is not a whole number", text)
	}
	return int64(n), nil
}

// ParsePeriod reads a period as in [ParseRate]: a unit alone, or a duration whose
// every number has a unit. Where it is neither, hint says what was probably meant
// and is never empty.
func ParsePeriod(text string) (d time.Duration, hint string) {
	if d, ok := periods[text]; ok {
		return d, ""
	}
	if text == "" {
		return 0, "a period is needed, such as min or 10s"
	}
	if strings.Trim(text, "0123456789.") == "" {
		return 0, fmt.Sprintf("a number alone has no unit: did you mean %ss?", text)
	}
	d, err := parseDuration(text)
	switch {
	case err == nil && d > 0:
		return d, ""
	case err == nil:
		return 0, "a period is above 0"
	}
	if days, ok := calendar[text]; ok {
		return 0, fmt.Sprintf("months and years differ in length; write days, such as %s", days)
	}
	if near := nearestUnit(text); near != "" {
		return 0, fmt.Sprintf("did you mean %s?", near)
	}
	return 0, "a period is s, min, h, day, week, or a duration such as 10s or 1h30m"
}

// parseDuration is time.ParseDuration with days: "7d", "1d12h".
func parseDuration(text string) (time.Duration, error) {
	days, rest, found := strings.Cut(text, "d")
	if !found {
		return time.ParseDuration(text)
	}
	n, err := strconv.ParseUint(days, 10, 31)
	if err != nil || n > math.MaxInt64/uint64(day) {
		return 0, fmt.Errorf("days in %q", text)
	}
	total := time.Duration(n) * day
	if rest == "" {
		return total, nil
	}
	d, err := time.ParseDuration(rest)
	if err != nil || d < 0 || d >= day || d > math.MaxInt64-total {
		return 0, fmt.Errorf("duration %q", text)
	}
	return total + d, nil
}

// nearestUnit prefers a word to a letter: "mn" is min rather than m or ms.
func nearestUnit(text string) string {
	var words, letters []string
	for name := range periods {
		if len(name) > 2 {
			words = append(words, name)
		} else {
			letters = append(letters, name)
		}
	}
	if near := Nearest(text, words); near != "" {
		return near
	}
	return Nearest(text, letters)
}

// String is the canonical form that [ParseRate] reads back: "100/min", "30/10s".
func (r Rate) String() string {
	return strconv.FormatInt(r.Count, 10) + "/" + formatPeriod(r.Period)
}

func formatPeriod(d time.Duration) string {
	switch d {
	case time.Second:
		return "s"
	case time.Minute:
		return "min"
	case time.Hour:
		return "h"
	case day:
		return "day"
	}
	if d > 0 && d%day == 0 {
		return strconv.FormatInt(int64(d/day), 10) + "d"
	}
	// Duration.String writes the zeros too: 1h30m0s.
	text := d.String()
	text = strings.TrimSuffix(text, "m0s")
	if len(text) < len(d.String()) {
		text += "m"
	}
	if short := strings.TrimSuffix(text, "h0m"); short != text {
		text = short + "h"
	}
	return text
}
