package replay

import (
	"encoding/json"
	"time"
)

// maxTop is how many of the most refused are listed.
const maxTop = 10

// Report is what a replay found. Its JSON names are promises.
type Report struct {
	Requests int64 `json:"requests"`
	// Unparsed counts lines that belong to no request.
	Unparsed int64 `json:"unparsed"`
	// Rejoined counts lines that were put behind the one before them, to which
	// they belong.
	Rejoined int64 `json:"rejoined"`
	// Late counts requests so far out of order that they were decided later than
	// they came.
	Late    int64 `json:"late"`
	Callers int64 `json:"callers"`
	// From and To are the first and the last request's time; null without any.
	From *time.Time `json:"from"`
	To   *time.Time `json:"to"`
	// Refused counts requests, CallersRefused callers with at least one refusal.
	Refused        int64    `json:"refused"`
	CallersRefused int64    `json:"callers_refused"`
	Files          []File   `json:"files"`
	Layers         []Limit  `json:"layers"`
	Denied         []Denied `json:"denied"`
	TopRefused     []Caller `json:"top_refused"`
	TopRoutes      []Route  `json:"top_routes"`
	TopMinutes     []Minute `json:"top_minutes"`
	// Peaks describe the callers' busiest calendar minutes.
	Peaks Peaks `json:"peaks"`
	// BrokenLines are the first lines of each file that were not understood.
	BrokenLines []Line `json:"broken_lines"`

	chart Chart
}

// File is one log.
type File struct {
	Name     string `json:"name"`
	Format   string `json:"format"` // "" for an empty log
	Lines    int64  `json:"lines"`
	Requests int64  `json:"requests"`
	Unparsed int64  `json:"unparsed"`
	Rejoined int64  `json:"rejoined"`
	// Error says why the log was not read to its end; "" where it was.
	Error string `json:"error,omitempty"`
}

// Limit is one limit of a layer, and what it did.
type Limit struct {
	Layer string `json:"layer"`
	Limit string `json:"limit"` // such as "10/min sliding-counter"; "" for a layer that counted nothing
	Name  string `json:"name"`  // in keys, such as "/search"
	Mode  string `json:"mode"`  // "enforced" or "shadow"
	// Requests met the limit, and Callers, as the layer tells them apart.
	Requests int64 `json:"requests"`
	Callers  int64 `json:"callers"`
	// Refused counts requests that this limit refused, whether or not another
	// one did too.
	Refused        int64 `json:"refused"`
	CallersRefused int64 `json:"callers_refused"`
	// Suggest is the least count at which this limit alone refuses at most that
	// share of callers anything. null where none does, because the burst is what
	// refuses.
	Suggest Shares `json:"suggest"`
	// SuggestRequests is the least count of Ladder at which it refuses at most
	// that share of requests; null where none does.
	SuggestRequests Shares `json:"suggest_requests"`
	// Ladder is what other counts would refuse: round ones, and the limit's own.
	Ladder []Step `json:"ladder"`

	count    int64
	per      string // what follows a count, such as "/min sliding-counter"
	heaviest []heavyCaller
}

// Step is what the limit alone refuses at another count.
type Step struct {
	Count          int64 `json:"count"`
	CallersRefused int64 `json:"callers_refused"`
	Refused        int64 `json:"refused"`
}

// Shares are counts by the share of what they refuse. noCount is none.
type Shares [len(shares)]int64

// shares are one in so many.
var shares = [...]struct {
	name string
	in   int64
}{{"0.1%", 1000}, {"1%", 100}, {"5%", 20}}

// MarshalJSON is {"0.1%": L, "1%": L, "5%": L}.
func (s Shares) MarshalJSON() ([]byte, error) {
	named := map[string]any{}
	for i, share := range shares {
		named[share.name] = s[i]
		if s[i] == noCount {
			named[share.name] = nil
		}
	}
	return json.Marshal(named)
}

// Denied counts requests that a list or a rule about identities refused.
type Denied struct {
	Why      string `json:"why"`
	Requests int64  `json:"requests"`
}

// Caller is one with refusals: "ip:…", "key:…" for the hash of an API key, or
// the host name that the log has in place of an address.
type Caller struct {
	Caller   string `json:"caller"`
	Requests int64  `json:"requests"`
	Refused  int64  `json:"refused"`
}

// Route is a method and a path with refusals. Refused is at most Over too high,
// which is 0 unless there are thousands of them.
type Route struct {
	Route   string `json:"route"`
	Refused int64  `json:"refused"`
	Over    int64  `json:"over"`
}

// Minute is a calendar minute with refusals.
type Minute struct {
	Start    time.Time `json:"minute"`
	Requests int64     `json:"requests"`
	Refused  int64     `json:"refused"`

	start int64 // minutes since the Unix epoch
}

// Peaks say that half, 90%, 99% and 99.9% of callers never sent more in a
// calendar minute, and what the busiest sent.
type Peaks struct {
	P50  int64 `json:"p50"`
	P90  int64 `json:"p90"`
	P99  int64 `json:"p99"`
	P999 int64 `json:"p99.9"`
	Max  int64 `json:"max"`
	// Histogram counts callers by peak, in ranges that double.
	Histogram []Bucket `json:"histogram"`
}

// Bucket counts the callers whose peak is at most UpTo, and above that of the
// one before.
type Bucket struct {
	UpTo    int64 `json:"up_to"`
	Callers int64 `json:"callers"`
}

func (r *Report) addFile(t *fileTally) {
	f := File{Name: t.name, Format: t.format, Lines: t.lines, Requests: t.records, Unparsed: t.unparsed, Rejoined: t.rejoined}
	if t.failed != nil {
		f.Error = t.failed.Error()
	}
	r.Files = append(r.Files, f)
	r.Unparsed += f.Unparsed
	r.Rejoined += f.Rejoined
	r.BrokenLines = append(r.BrokenLines, t.examples...)
}
