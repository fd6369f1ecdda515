package extauthz

import (
	"fmt"
	"strconv"
)

// options are what a route's context_extensions say, as the query of /check does.
type options struct {
	cost int64
	peek bool
	deny int // status of a refusal; 0 is the right one
}

// options are those of a trusted Envoy. They are from its configuration, where a
// client cannot write; what else stands there is for others.
func (r *reading) options() (options, error) {
	o := options{cost: 1}
	if !r.isTrusted() {
		return o, nil
	}
	for name, read := range known {
		if value, ok := r.GetContextExtensions()[name]; ok && !read(&o, value) {
			return o, optionError(fmt.Sprintf("The proxy's context_extensions say %s: %.40q, which weir does not understand.", name, value))
		}
	}
	return o, nil
}

// optionError is a sentence for whoever wrote Envoy's configuration.
type optionError string

func (e optionError) Error() string { return string(e) }

var known = map[string]func(o *options, value string) (ok bool){"cost": readCost, "peek": readPeek, "deny": readDeny}

func readCost(o *options, value string) bool {
	n, err := strconv.ParseUint(value, 10, 63)
	o.cost = int64(n)
	return err == nil
}

func readPeek(o *options, value string) bool {
	o.peek = value == "1"
	return o.peek || value == "0"
}

func readDeny(o *options, value string) bool {
	n, err := strconv.ParseUint(value, 10, 16)
	o.deny = int(n)
	return err == nil && 400 <= n && n <= 499
}
