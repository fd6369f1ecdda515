package weir_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/weirhq/weir"
)

// A month that is thirty days, and a day of 24 hours in a zone where one has 25, are
// not what they are called. So a calendar's words are no period, and whoever writes
// one hears how to say a length; a day is 24 hours of UTC.
func TestB11NoCalendar(t *testing.T) {
	for text, length := range map[string]string{
		"100/month": "30d", "100/months": "30d", "100/mo": "30d", "100/year": "365d", "100/y": "365d",
	} {
		_, err := weir.ParseRate(text)
		wrong, ok := errors.AsType[*weir.RateError](err)
		if !ok || !strings.Contains(wrong.Hint, length) {
			t.Errorf("%s: %v, want a hint at %s", text, err, length)
		}
	}
}

func TestB11WindowsBeginAtMidnightUTC(t *testing.T) {
	const inBerlin = 22 * time.Hour // a midnight there, in summer
	c := newCaller(t, weir.PerDay(100), with(weir.FixedWindow))
	c.at(inBerlin).admits(100)
	c.at(inBerlin+time.Hour).refuses(1, time.Hour)
	c.at(24*time.Hour-time.Microsecond).refuses(1, time.Microsecond)
	c.at(24 * time.Hour).admits(100)
}
