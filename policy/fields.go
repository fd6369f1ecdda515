package policy

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/weirhq/weir"
)

// field is what the tags of a struct's field say. The decoder, the canonical
// form, the checks and the JSON Schema all read the same tags.
type field struct {
	name     string
	index    []int
	fallback string   // default:"…"
	enum     []string // enum:"…|…"
	min, max string
}

type fields []field

// fieldsOf lists the fields of a struct and of those embedded in it.
func fieldsOf(t reflect.Type) fields {
	var all fields
	for _, f := range reflect.VisibleFields(t) {
		tag, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if tag == "" {
			continue
		}
		one := field{name: tag, index: f.Index, fallback: f.Tag.Get("default"), min: f.Tag.Get("min"), max: f.Tag.Get("max")}
		if enum := f.Tag.Get("enum"); enum != "" {
			one.enum = strings.Split(enum, "|")
		}
		all = append(all, one)
	}
	return all
}

func (f fields) index(name string) int {
	return slices.IndexFunc(f, func(one field) bool { return one.name == name })
}

func (f fields) names() []string {
	names := make([]string, len(f))
	for i := range f {
		names[i] = f[i].name
	}
	return names
}

// strangers are fields of other tools' files, and what they are called here.
var strangers = map[string]string{
	"window":           "the period is part of the limit: 100/min",
	"period":           "the period is part of the limit: 100/min",
	"interval":         "the period is part of the limit: 100/min",
	"unit":             "the period is part of the limit: 100/min",
	"rate":             "did you mean limit?",
	"requests":         "did you mean limit? it is written as 100/min",
	"requestsPerUnit":  "did you mean limit? it is written as 100/min",
	"average":          "did you mean limit? it is written as 100/min",
	"ipStrategy":       "write by: ip, and say in trusted_proxies whose headers count",
	"sourceCriterion":  "did you mean by?",
	"keyBy":            "did you mean by?",
	"trustForwardHead": "did you mean trusted_proxies?",
	"whitelist":        "did you mean allow?",
	"blacklist":        "did you mean deny?",
	"dryRun":           "did you mean shadow?",
	"failOpen":         "did you mean on_error: allow?",
	"rules":            "did you mean layers?",
	"limits":           "did you mean limit? it takes a list too",
	"weight":           "did you mean cost?",
}

// hint says what an unknown field was probably meant to be; near is that field,
// "" for none.
func (f fields) hint(unknown string) (near, hint string) {
	foreign := make([]string, 0, len(strangers))
	for word := range strangers {
		foreign = append(foreign, word)
	}
	bare := strings.NewReplacer("_", "", "-", "").Replace(unknown)
	stranger := weir.Nearest(bare, foreign)
	near = weir.Nearest(unknown, f.names())
	switch {
	case near != "" && !strings.EqualFold(stranger, bare):
		return near, "did you mean " + near + "?"
	case stranger != "":
		return "", strangers[stranger]
	}
	return "", "known are " + strings.Join(f.names(), ", ")
}

// wrong says what is wrong with a field's value by its tags, and what can be
// written. A zero value that was not written stands for the default.
func (f *field) wrong(v reflect.Value, written bool) (message, hint string) {
	if v.IsZero() && !written {
		return "", ""
	}
	switch x := v.Interface().(type) {
	case string:
		if len(f.enum) > 0 && !slices.Contains(f.enum, x) {
			return fmt.Sprintf("%s is %q", f.name, x), choice(x, f.enum)
		}
	case int64:
		if low, high := f.bounds(); x < low || x > high {
			return fmt.Sprintf("%s is %d", f.name, x), f.rangeHint()
		}
	case time.Duration:
		if x <= 0 {
			return fmt.Sprintf("%s is %s", f.name, x), "write a time above 0"
		}
	case Lease:
		if low, high := f.bounds(); x != NoLease && (int64(x) < low || int64(x) > high) {
			return fmt.Sprintf("%s is %d%%", f.name, x), leaseHint
		}
	}
	return "", ""
}

func (f *field) bounds() (low, high int64) {
	low, high = -1<<63, 1<<63-1
	if f.min != "" {
		low, _ = strconv.ParseInt(f.min, 10, 64)
	}
	if f.max != "" {
		high, _ = strconv.ParseInt(f.max, 10, 64)
	}
	return low, high
}

func (f *field) rangeHint() string {
	if f.max == "" {
		return "write a number from " + f.min
	}
	return "write a number from " + f.min + " to " + f.max
}

// choice suggests one of several words.
func choice(text string, words []string) string {
	if near := weir.Nearest(text, words); near != "" {
		return "did you mean " + near + "?"
	}
	last := len(words) - 1
	if last < 1 {
		return "write " + strings.Join(words, "")
	}
	return "write " + strings.Join(words[:last], ", ") + " or " + words[last]
}
