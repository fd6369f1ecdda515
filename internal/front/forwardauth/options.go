package forwardauth

import (
	"fmt"
	"strconv"
	"strings"
)

// options are what the query says.
type options struct {
	cost    int64
	peek    bool
	explain bool
	deny    int    // status of a refusal; 0 is the right one
	accel   string // where nginx goes on with what is allowed; "" is the plain answer
}

// option reads one into o.
type option func(o *options, value string) error

var known = map[string]option{"cost": readCost, "peek": readPeek, "explain": readExplain, "deny": readDeny, "accel": readAccel}

// maxSearched is how many options are looked for in the client's URI, which may be
// long. Those behind them count as the client's: that adds to what is charged, and
// takes nothing from it.
const maxSearched = 32

// parseOptions reads the options in a query and passes over all else. The first of
// several counts, except that what the client may have written only adds to what
// is charged.
func parseOptions(rawQuery string, by author) (options, error) {
	o := options{cost: 1}
	var least claims
	read := map[string]bool{}
	searched := 0
	for pair := range strings.SplitSeq(rawQuery, "&") {
		name, value, _ := strings.Cut(pair, "=")
		name, value = unescape(name), unescape(value)
		into := known[name]
		if into == nil {
			continue
		}
		switch searched++; {
		case searched > maxSearched || by.mayBeClient(name, value):
			least.note(name, value)
		case !read[name]:
			read[name] = true
			if err := into(&o, value); err != nil {
				return o, err
			}
		}
	}
	least.raise(&o)
	return o, nil
}

func readCost(o *options, value string) error {
	n, err := strconv.ParseUint(value, 10, 63)
	if err != nil {
		return wrong("cost=%s is not a whole number from 0 to 9223372036854775807.", value)
	}
	o.cost = int64(n)
	return nil
}

func readPeek(o *options, value string) error { return readSwitch(&o.peek, "peek", value) }

func readExplain(o *options, value string) error { return readSwitch(&o.explain, "explain", value) }

func readSwitch(into *bool, name, value string) error {
	if value != "0" && value != "1" {
		return wrong(name+"=%s is neither 0 nor 1.", value)
	}
	*into = value == "1"
	return nil
}

func readDeny(o *options, value string) error {
	n, err := strconv.ParseUint(value, 10, 16)
	if err != nil || n < 400 || n > 499 {
		return wrong("deny=%s is not a status from 400 to 499.", value)
	}
	o.deny = int(n)
	return nil
}

// maxAccel bounds what is answered as X-Accel-Redirect.
const maxAccel = 256

func readAccel(o *options, value string) error {
	if !isLocation(value) {
		return wrong("accel=%s is neither @NAME of letters, digits, -, _ and . nor an internal /PATH, of at most 256 characters.", value)
	}
	o.accel = value
	return nil
}

// isLocation reports whether nginx can be sent there. What stands in a header
// field must not end it.
func isLocation(text string) bool {
	if len(text) < 2 || len(text) > maxAccel {
		return false
	}
	for i := 1; i < len(text); i++ {
		c := text[i]
		switch lower := c | 0x20; {
		case 'a' <= lower && lower <= 'z', '0' <= c && c <= '9', c == '-', c == '_', c == '.':
		case text[0] == '@', c <= ' ', c >= 0x7f, c == '\\':
			return false
		}
	}
	return text[0] == '@' || text[0] == '/'
}

// optionError is a sentence for whoever wrote the query or the header.
type optionError string

func (e optionError) Error() string { return string(e) }

// wrong words a mistake, and bounds what it repeats of it.
func wrong(format, text string) error {
	return optionError(fmt.Sprintf(format, fmt.Sprintf("%.40q", text)))
}
