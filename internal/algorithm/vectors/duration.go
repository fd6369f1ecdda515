package vectors

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/weirhq/weir/internal/algorithm"
)

// units in falling order. There is no decimal point in a duration here: every
// value is whole µs, and a rounded one must show which way it was rounded.
var units = []struct {
	name   string
	micros int64
}{
	{"d", 24 * 3600 * 1_000_000}, {"h", 3600 * 1_000_000}, {"m", 60 * 1_000_000},
	{"s", 1_000_000}, {"ms", 1000}, {"us", 1},
}

// ParseDuration reads whole numbers with falling units, as in "1m30s" or
// "-166ms667us", as µs. "never" is [algorithm.Never].
func ParseDuration(text string) (int64, error) {
	if text == "never" {
		return algorithm.Never, nil
	}
	rest, negative := strings.CutPrefix(text, "-")
	if rest == "" {
		return 0, fmt.Errorf("%q is not a duration", text)
	}
	var total int64
	for next := 0; rest != ""; {
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		number, err := strconv.ParseInt(rest[:digits], 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%q is not a duration: want whole numbers with units d, h, m, s, ms, us", text)
		}
		rest = rest[digits:]
		name := rest[:len(rest)-len(strings.TrimLeft(rest, "dhmsu"))]
		rest = rest[len(name):]
		i := next
		for i < len(units) && units[i].name != name {
			i++
		}
		if i == len(units) {
			return 0, fmt.Errorf("%q is not a duration: %q is no unit, or not smaller than the one before", text, name)
		}
		if number > (algorithm.Never-total)/units[i].micros {
			return 0, fmt.Errorf("%q is too long", text)
		}
		total += number * units[i].micros
		next = i + 1
	}
	if negative {
		total = -total
	}
	return total, nil
}

// FormatDuration writes µs as [ParseDuration] reads them, in the largest units.
func FormatDuration(micros int64) string {
	switch micros {
	case algorithm.Never:
		return "never"
	case 0:
		return "0s"
	}
	var b strings.Builder
	if micros < 0 {
		b.WriteByte('-')
		micros = -micros
	}
	for _, unit := range units {
		if n := micros / unit.micros; n > 0 {
			fmt.Fprintf(&b, "%d%s", n, unit.name)
			micros %= unit.micros
		}
	}
	return b.String()
}
