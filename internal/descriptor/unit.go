package descriptor

import (
	"strings"
	"time"

	"github.com/weirhq/weir"
)

// Unit is the period of a limit as the protocol names it.
type Unit uint8

// The units. A month has 30 days and a year 365, and all begin where a multiple
// of theirs since the Unix epoch does.
const (
	Other Unit = iota // a period that the protocol has no name for
	Second
	Minute
	Hour
	Day
	Week
	Month
	Year
)

const day = 24 * time.Hour

var units = [...]struct {
	name   string
	period time.Duration
}{
	Second: {"second", time.Second},
	Minute: {"minute", time.Minute},
	Hour:   {"hour", time.Hour},
	Day:    {"day", day},
	Week:   {"week", 7 * day},
	Month:  {"month", 30 * day},
	Year:   {"year", 365 * day},
}

// String is the unit in lower case; "" for Other.
func (u Unit) String() string { return units[u].name }

// Period is how long the unit is; 0 for Other.
func (u Unit) Period() time.Duration { return units[u].period }

// unitOf is the unit that is as long as the period.
func unitOf(period time.Duration) Unit {
	for u := Second; u <= Year; u++ {
		if u.Period() == period {
			return u
		}
	}
	return Other
}

// parseUnit reads a unit in letters of any case, or any duration. Where it is
// neither, hint says what was probably meant.
func parseUnit(text string) (period time.Duration, hint string) {
	names := make([]string, 0, len(units))
	for u := Second; u <= Year; u++ {
		if strings.EqualFold(text, u.String()) {
			return u.Period(), ""
		}
		names = append(names, u.String())
	}
	period, hint = weir.ParsePeriod(text)
	if near := weir.Nearest(text, names); hint != "" && near != "" {
		return 0, "did you mean " + near + "?"
	}
	if hint != "" {
		hint = "write second, minute, hour, day, week, month or year, or a duration such as 10s"
	}
	return period, hint
}
