package replay

import (
	"strconv"
	"strings"
	"time"
)

// commonStamp reads 12/May/2024:00:00:17 +0000 in µs since the Unix epoch, also
// with a fraction behind the seconds, as HAProxy writes it, and without a zone,
// which then is UTC.
func commonStamp(text string) (int64, bool) {
	if len(text) < len("02/Jan/2006:15:04:05") || text[2] != '/' || text[6] != '/' || text[11] != ':' {
		return 0, false
	}
	day, ok1 := digits(text[:2])
	month := monthOf(text[3:6])
	year, ok2 := digits(text[7:11])
	clock, rest, ok3 := clockOf(text[12:])
	if !ok1 || !ok2 || !ok3 || month == 0 || day < 1 || day > 31 {
		return 0, false
	}
	zone, ok := zoneOf(skipSpaces(rest))
	return 1_000_000*(86_400*daysSince1970(year, month, day)-zone) + clock, ok
}

// isoStamp reads 2024-05-12T00:00:17.123Z and its kin.
func isoStamp(text string) (int64, bool) {
	if len(text) < len("2006-01-02T15:04:05") || text[4] != '-' || text[7] != '-' || text[10] != 'T' && text[10] != ' ' {
		return 0, false
	}
	year, ok1 := digits(text[:4])
	month, ok2 := digits(text[5:7])
	day, ok3 := digits(text[8:10])
	clock, rest, ok4 := clockOf(text[11:])
	if !ok1 || !ok2 || !ok3 || !ok4 || month < 1 || month > 12 || day < 1 || day > 31 {
		return 0, false
	}
	zone, ok := zoneOf(skipSpaces(rest))
	return 1_000_000*(86_400*daysSince1970(year, month, day)-zone) + clock, ok
}

// clockOf reads 15:04:05, with or without a fraction, in µs.
func clockOf(text string) (micros int64, rest string, ok bool) {
	if len(text) < 8 || text[2] != ':' || text[5] != ':' {
		return 0, "", false
	}
	hour, ok1 := digits(text[:2])
	minute, ok2 := digits(text[3:5])
	second, ok3 := digits(text[6:8])
	if !ok1 || !ok2 || !ok3 || hour > 24 || minute > 59 || second > 60 {
		return 0, "", false
	}
	micros, rest = 1_000_000*(3600*hour+60*minute+second), text[8:]
	if strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, ",") {
		var fraction int64
		fraction, rest = fractionOf(rest[1:])
		micros += fraction
	}
	return micros, rest, true
}

// fractionOf reads the digits behind a decimal point, as millionths.
func fractionOf(text string) (micros int64, rest string) {
	scale := int64(100_000)
	i := 0
	for ; i < len(text) && isDigit(text[i]); i++ {
		micros += scale * int64(text[i]-'0')
		scale /= 10
	}
	return micros, text[i:]
}

// zoneOf reads +0200, +02:00, Z or nothing, in seconds.
func zoneOf(text string) (int64, bool) {
	if text == "" || text == "Z" || text == "z" || text == "+0000" {
		return 0, true
	}
	if len(text) == 6 && text[3] == ':' {
		text = text[:3] + text[4:]
	}
	if len(text) != 5 || text[0] != '+' && text[0] != '-' {
		return 0, false
	}
	hours, ok1 := digits(text[1:3])
	minutes, ok2 := digits(text[3:])
	offset := 3600*hours + 60*minutes
	if text[0] == '-' {
		offset = -offset
	}
	return offset, ok1 && ok2
}

// numberStamp reads a count since the Unix epoch in seconds, with a fraction or
// without, or in milli-, micro- or nanoseconds: which of them it is shows its
// size.
func numberStamp(text string) (int64, bool) {
	whole, fraction, _ := strings.Cut(text, ".")
	n, ok := digits(whole)
	if !ok || len(whole) > 19 {
		return exponentStamp(text)
	}
	switch {
	case len(whole) > 17:
		return n / 1000, true
	case len(whole) > 14:
		return n, true
	case len(whole) > 11:
		micros, rest := fractionOf(fraction)
		return 1000*n + micros/1000, rest == ""
	}
	micros, rest := fractionOf(fraction)
	if rest != "" {
		return exponentStamp(text)
	}
	return 1_000_000*n + micros, true
}

// exponentStamp reads seconds such as 1.7e9.
func exponentStamp(text string) (int64, bool) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || !(f > 0 && f < 1e11) {
		return 0, false
	}
	return int64(f * 1e6), true
}

func digits(text string) (n int64, ok bool) {
	for i := range len(text) {
		if !isDigit(text[i]) {
			return 0, false
		}
		n = 10*n + int64(text[i]-'0')
	}
	return n, text != ""
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func monthOf(name string) int64 {
	for m := time.January; m <= time.December; m++ {
		if strings.EqualFold(name, m.String()[:3]) {
			return int64(m)
		}
	}
	return 0
}

// daysSince1970 counts days in the Gregorian calendar: years begin in March, so
// that the leap day is the last of its year.
func daysSince1970(year, month, day int64) int64 {
	if month <= 2 {
		year, month = year-1, month+12
	}
	return 365*year + year/4 - year/100 + year/400 + (153*(month-3)+2)/5 + day - 1 - 719_468
}
