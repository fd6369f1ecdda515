package httplimit

import (
	"strconv"
	"time"

	"github.com/weirhq/weir"
)

// PolicyName is how answers name the limit of check i: by its layer, and by the
// limit's own name too where the layer has several in this decision.
func PolicyName(d *weir.Decision, i int) string {
	layer, limit := policyName(d, i)
	if limit == "" {
		return layer
	}
	return layer + "/" + limit
}

// policyName has an empty limit where the layer's name is enough.
func policyName(d *weir.Decision, i int) (layer, limit string) {
	key := &d.Checks[i].Key
	for j := range d.Checks {
		if j != i && d.Checks[j].Key.Layer == key.Layer && enforced(&d.Checks[j]) {
			return key.Layer, key.Limit
		}
	}
	return key.Layer, ""
}

func enforced(c *weir.Check) bool { return c.Group == nil || !c.Group.Shadow }

// appendPolicies appends every enforced limit in order: "edge";q=1000;w=60. The
// window is left out where it is no whole number of seconds, which the field
// cannot say.
func appendPolicies(text []byte, d *weir.Decision) []byte {
	for i, first := 0, true; i < len(d.Checks); i++ {
		if !enforced(&d.Checks[i]) {
			continue
		}
		if !first {
			text = append(text, ", "...)
		}
		first = false
		rate := d.Checks[i].Limit.Rate()
		text = appendName(text, d, i)
		text = appendParameter(text, ";q=", rate.Count)
		if rate.Period%time.Second == 0 {
			text = appendParameter(text, ";w=", int64(rate.Period/time.Second))
		}
	}
	return text
}

// appendItem appends what is left of the tightest limit to its name: ;r=412;t=14.
func (h *Headers) appendItem(text []byte, r *weir.Result, n *numbers) []byte {
	limit, remaining := sized(n.limit, r.Limit), sized(n.remaining, r.Remaining)
	text = append(append(text, ";r="...), remaining...)
	text = append(append(text, ";t="...), n.reset...)
	if h.IETF == Both {
		text = append(append(text, ";a="...), remaining...)
		text = append(append(text, ";w="...), n.reset...)
	}
	if h.Bare {
		return text
	}
	text = append(append(text, ";limit="...), limit...)
	text = append(append(text, ";remaining="...), remaining...)
	return append(append(text, ";reset="...), n.reset...)
}

// maxInteger is the largest integer of RFC 9651. A parser drops the whole field
// for one above it; a fixed window's count can be.
const maxInteger = 999_999_999_999_999

func sized(digits string, n int64) string {
	if n > maxInteger {
		return strconv.FormatInt(maxInteger, 10)
	}
	return digits
}

func appendParameter(text []byte, name string, n int64) []byte {
	return strconv.AppendInt(append(text, name...), min(n, maxInteger), 10)
}

// appendName appends the policy's name as an RFC 9651 string.
func appendName(text []byte, d *weir.Decision, i int) []byte {
	layer, limit := policyName(d, i)
	text = appendEscaped(append(text, '"'), layer)
	if limit != "" {
		text = appendEscaped(append(text, '/'), limit)
	}
	return append(text, '"')
}

// appendEscaped keeps printable ASCII and escapes quote and backslash. What a
// string of RFC 9651 cannot hold becomes a question mark.
func appendEscaped(text []byte, name string) []byte {
	for _, c := range name {
		switch {
		case c < ' ' || c > '~':
			c = '?'
		case c == '"' || c == '\\':
			text = append(text, '\\')
		}
		text = append(text, byte(c))
	}
	return text
}
