package forwardauth

import (
	"fmt"
	"net/url"
	"strconv"
)

// options are what the query says.
type options struct {
	cost int64
	peek bool
	deny int // status of a refusal; 0 is the right one
}

// parseOptions reads the options in a query and passes over all else, pairs that
// are broken too. The first of several counts: a proxy appends the client's.
func parseOptions(rawQuery string) (options, error) {
	o := options{cost: 1}
	if rawQuery == "" {
		return o, nil
	}
	query, _ := url.ParseQuery(rawQuery)
	if text, ok := first(query, "cost"); ok {
		n, err := strconv.ParseUint(text, 10, 63)
		if err != nil {
			return o, wrong("cost=%s is not a whole number from 0 to 9223372036854775807.", text)
		}
		o.cost = int64(n)
	}
	switch text, ok := first(query, "peek"); {
	case !ok, text == "0":
	case text == "1":
		o.peek = true
	default:
		return o, wrong("peek=%s is neither 0 nor 1.", text)
	}
	if text, ok := first(query, "deny"); ok {
		n, err := strconv.ParseUint(text, 10, 16)
		if err != nil || n < 400 || n > 499 {
			return o, wrong("deny=%s is not a status from 400 to 499.", text)
		}
		o.deny = int(n)
	}
	return o, nil
}

func first(query url.Values, name string) (string, bool) {
	values, ok := query[name]
	if !ok {
		return "", false
	}
	return values[0], true
}

// optionError is a sentence for whoever wrote the query or the header.
type optionError string

func (e optionError) Error() string { return string(e) }

// wrong words a mistake, and bounds what it repeats of it.
func wrong(format, text string) error {
	return optionError(fmt.Sprintf(format, fmt.Sprintf("%.40q", text)))
}
