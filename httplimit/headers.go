package httplimit

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/weirhq/weir"
)

// Headers chooses the rate-limit header fields of an answer. The zero value
// writes them all: X-RateLimit-Limit, -Remaining and -Reset (epoch seconds), and
// the IETF fields RateLimit-Policy and RateLimit of
// draft-ietf-httpapi-ratelimit-headers-11.
type Headers struct {
	// Reset is how X-RateLimit-Reset tells its time; default Epoch.
	Reset ResetStyle
	// OmitLegacy leaves out the X-RateLimit fields.
	OmitLegacy bool
	// OmitIETF leaves out RateLimit-Policy and RateLimit.
	OmitIETF bool
}

// ResetStyle is the kind of number in X-RateLimit-Reset.
type ResetStyle uint8

const (
	// Epoch is seconds since the Unix epoch, as GitHub and X send it.
	Epoch ResetStyle = iota
	// Delta is seconds from now.
	Delta
)

// The canonical names of the fields, for direct use as keys of an http.Header.
const (
	fieldLimit     = "X-Ratelimit-Limit"
	fieldRemaining = "X-Ratelimit-Remaining"
	fieldReset     = "X-Ratelimit-Reset"
	fieldPolicy    = "Ratelimit-Policy"
	fieldRateLimit = "Ratelimit"
	fieldDecision  = "Weir-Decision"
	fieldRetry     = "Retry-After"
)

// Set writes the fields of the decision, each once, over any that are there.
// Limits in shadow are never mentioned. A decision that checked nothing gets
// Weir-Decision alone: there is no limit to speak of.
func (h Headers) Set(header http.Header, d *weir.Decision) {
	set := func(field, value string) { header[field] = []string{value} }
	set(fieldDecision, d.ID.String())
	if !d.Allowed && d.RetryAfter != weir.Never {
		set(fieldRetry, strconv.FormatInt(RetryAfterSeconds(d.RetryAfter), 10))
	}
	if d.Tightest < 0 {
		return
	}
	r := &d.Results[d.Tightest]
	reset := ceilSeconds(r.ResetAfter)
	if !h.OmitLegacy {
		set(fieldLimit, strconv.FormatInt(r.Limit, 10))
		set(fieldRemaining, strconv.FormatInt(r.Remaining, 10))
		set(fieldReset, strconv.FormatInt(h.resetValue(r), 10))
	}
	if !h.OmitIETF {
		set(fieldPolicy, policyField(d))
		set(fieldRateLimit, quoted(PolicyName(d, d.Tightest))+
			";r="+strconv.FormatInt(r.Remaining, 10)+";t="+strconv.FormatInt(reset, 10))
	}
}

func (h Headers) resetValue(r *weir.Result) int64 {
	if h.Reset == Delta {
		return ceilSeconds(r.ResetAfter)
	}
	at := time.Duration(r.At%1_000_000) * time.Microsecond // whole seconds stay apart: a sum in ns may overflow
	return r.At/1_000_000 + ceilSeconds(min(r.ResetAfter, weir.Never-time.Second)+at)
}

// RetryAfterSeconds is the value of a Retry-After field: rounded up, at least 1,
// for a client told 0 comes back at once and is refused again.
func RetryAfterSeconds(d time.Duration) int64 { return max(1, ceilSeconds(d)) }

func ceilSeconds(d time.Duration) int64 {
	s := int64(d / time.Second)
	if d%time.Second > 0 {
		s++
	}
	return s
}

// PolicyName is how answers name the limit of check i: by its layer, and by the
// limit's own name too where the layer has several in this decision.
func PolicyName(d *weir.Decision, i int) string {
	key := &d.Checks[i].Key
	for j := range d.Checks {
		if j != i && d.Checks[j].Key.Layer == key.Layer && enforced(&d.Checks[j]) {
			return key.Layer + "/" + key.Limit
		}
	}
	return key.Layer
}

func enforced(c *weir.Check) bool { return c.Group == nil || !c.Group.Shadow }

// policyField is every enforced limit in order: "edge";q=1000;w=60. The window
// is left out where it is no whole number of seconds, which the field cannot say.
func policyField(d *weir.Decision) string {
	var b strings.Builder
	for i := range d.Checks {
		if !enforced(&d.Checks[i]) {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		rate := d.Checks[i].Limit.Rate()
		b.WriteString(quoted(PolicyName(d, i)))
		b.WriteString(";q=")
		b.WriteString(strconv.FormatInt(rate.Count, 10))
		if rate.Period%time.Second == 0 {
			b.WriteString(";w=")
			b.WriteString(strconv.FormatInt(int64(rate.Period/time.Second), 10))
		}
	}
	return b.String()
}

// quoted is an RFC 9651 string: printable ASCII, quote and backslash escaped.
// What it cannot hold becomes a question mark.
func quoted(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range text {
		switch {
		case c < ' ' || c > '~':
			b.WriteByte('?')
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			fallthrough
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
