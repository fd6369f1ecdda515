package admin

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/weirhq/weir/httplimit"
	"github.com/weirhq/weir/internal/trail"
)

// callersAnswer tells who asks under a limit.
type callersAnswer struct {
	Layer  string `json:"layer"`
	Limit  string `json:"limit"`
	Rate   string `json:"rate"`
	Period int64  `json:"period_ms"`
	// Span: what is told is of the last one to two spans.
	Span    int64 `json:"span_ms"`
	Callers int64 `json:"callers"` // distinct
	// Exact says that callers is no estimate, and nobody is missing from peaks.
	Exact  bool  `json:"exact"`
	Missed int64 `json:"missed"` // requests that were not counted
	// Surely is the least limit for which nobody is missing from peaks: who has no
	// counter asked no more than this. No peak is too small by more.
	Surely int64     `json:"complete_from"`
	Keys   []callers `json:"keys"`
	Peaks  []peak    `json:"peaks"` // of the heaviest, ascending
}

type callers struct {
	Ref     string `json:"ref"` // may stand for the key in this process
	Key     string `json:"key"`
	Rate    string `json:"rate"`
	Asked   int64  `json:"asked"` // requests, at most over too many
	Over    int64  `json:"over"`
	Refused int64  `json:"refused"`
	Peak    int64  `json:"peak"` // the most requests in one period
	Last    int64  `json:"last_ms"`
}

// peak is how many callers' peak rate is exactly that, and what they asked.
type peak struct {
	Peak    int64 `json:"peak"`
	Callers int64 `json:"callers"`
	Asked   int64 `json:"asked"`
}

func (p *port) keys(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Has("key") {
		p.peek(w, r)
		return
	}
	show, ok := p.shows(w, r)
	if !ok {
		return
	}
	query := r.URL.Query()
	n, ok := number(w, r, "n", 50, 512)
	if !ok {
		return
	}
	order := trail.Heaviest
	switch query.Get("sort") {
	case "", "heaviest":
	case "refused":
		order = trail.MostRefused
	default:
		httplimit.NewProblem(http.StatusBadRequest, "sort is heaviest or refused.").Write(w)
		return
	}
	layer, limit, ok := p.whichLimit(w, query.Get("layer"), query.Get("limit"))
	if !ok {
		return
	}
	found := p.trail.Callers(layer, limit, order)
	if found == nil {
		httplimit.NewProblem(http.StatusNotFound, "Nobody has asked under this limit since the start, or there are too many limits to remember callers of each.").Write(w)
		return
	}
	out := p.callersOf(found, n, show)
	if order == trail.MostRefused {
		if heaviest := p.trail.Callers(layer, limit, trail.Heaviest); heaviest != nil {
			out.Peaks, out.Surely = peaksOf(heaviest)
			out.Callers, out.Exact, out.Missed = heaviest.Distinct, heaviest.Exact, heaviest.Missed
		}
	}
	writeJSON(w, http.StatusOK, out)
}

// whichLimit need not be said where the layer has one alone.
func (p *port) whichLimit(w http.ResponseWriter, layer, limit string) (string, string, bool) {
	names := p.trail.Limits(layer)
	switch {
	case layer == "":
		httplimit.NewProblem(http.StatusBadRequest, "This takes layer and limit, or layer and key: /v1/keys?layer=edge&limit=default.").Write(w)
	case limit != "":
		return layer, limit, true
	case len(names) == 0:
		httplimit.NewProblem(http.StatusNotFound, "Nobody has asked under a limit of this layer since the start.").Write(w)
	case len(names) > 1:
		httplimit.NewProblem(http.StatusBadRequest, "The layer has several limits, choose one: "+strings.Join(names, ", ")+".").Write(w)
	default:
		return layer, names[0], true
	}
	return "", "", false
}

func (p *port) callersOf(found *trail.Callers, n int, show shower) callersAnswer {
	out := callersAnswer{
		Layer: found.Layer, Limit: found.Limit, Rate: found.Rule.Rate().String(), Period: found.Rule.Rate().Period.Milliseconds(),
		Span: found.Span.Milliseconds(), Callers: found.Distinct, Exact: found.Exact, Missed: found.Missed, Keys: []callers{},
	}
	out.Peaks, out.Surely = peaksOf(found)
	for _, c := range found.List[:min(n, len(found.List))] {
		out.Keys = append(out.Keys, callers{
			c.Ref, show(c.Identity), c.Rule.Rate().String(), c.Asked, c.Over, c.Refused, c.Peak, c.Last.UnixMilli(),
		})
	}
	return out
}

// peaksOf is the distribution of peaks, and from where on nobody is missing: who
// has no counter asked no more than whoever has the smallest.
func peaksOf(found *trail.Callers) (peaks []peak, surely int64) {
	list := slices.SortedFunc(slices.Values(found.List), func(a, b trail.Caller) int { return int(min(1, max(-1, a.Peak-b.Peak))) })
	peaks = []peak{}
	for _, c := range list {
		if n := len(peaks); n == 0 || peaks[n-1].Peak != c.Peak {
			peaks = append(peaks, peak{Peak: c.Peak})
		}
		last := &peaks[len(peaks)-1]
		last.Callers++
		last.Asked += c.Asked - c.Over
	}
	return peaks, found.Unseen
}

// peekAnswer tells what one caller has left.
type peekAnswer struct {
	Layer  string  `json:"layer"`
	Key    string  `json:"key"`
	Limits []check `json:"limits"`
}

func (p *port) peek(w http.ResponseWriter, r *http.Request) {
	layer, key := r.URL.Query().Get("layer"), r.URL.Query().Get("key")
	if layer == "" || key == "" {
		httplimit.NewProblem(http.StatusBadRequest, "Layer and key are both needed: /v1/keys?layer=gateway&key=k1.").Write(w)
		return
	}
	show := shownInFull // whoever asks knows the caller
	if trail.IsRef(key) {
		var ok bool
		if show, ok = p.shows(w, r); !ok {
			return
		}
	}
	key, ok := p.named(w, layer, key)
	if !ok {
		return
	}
	d, err := p.engine.Peek(r.Context(), layer, key)
	var input InputError
	switch {
	case errors.As(err, &input):
		httplimit.NewProblem(http.StatusBadRequest, input.Error()).Write(w)
	case err != nil:
		httplimit.NewProblem(http.StatusServiceUnavailable, "The store does not answer.").Write(w)
	default:
		out := peekAnswer{Layer: layer, Limits: p.checksOf(d.Checks, d.Results, show, nil)}
		if len(d.Checks) > 0 {
			out.Key = show(d.Checks[0].Key.Identity)
		}
		writeJSON(w, http.StatusOK, out)
	}
}

// named is the caller that a ref stands for, or key itself. A ref that is not known
// stands for nobody: taken for a key, it would be a caller that never asked.
func (p *port) named(w http.ResponseWriter, layer, key string) (string, bool) {
	if !trail.IsRef(key) {
		return key, true
	}
	identity := p.trail.Named(layer, key)
	if identity == "" {
		httplimit.NewProblem(http.StatusNotFound, "This process remembers no caller of this layer by that ref: give the key itself.").Write(w)
	}
	return identity, identity != ""
}
