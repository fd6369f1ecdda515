package admin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/weirhq/weir/httplimit"
	"github.com/weirhq/weir/internal/trail"
)

// tick is one second as pages get it. Counts are of that second.
type tick struct {
	At            int64       `json:"at_ms"`
	Allowed       int64       `json:"allowed"`
	Refused       int64       `json:"refused"`
	ShadowRefused int64       `json:"shadow_refused"`
	Denied        int64       `json:"denied"`
	Errors        int64       `json:"errors"`
	Degraded      int64       `json:"degraded"`
	Limits        []limitTick `json:"limits"`
	// Those below are of now: history has none.
	Store  *storeTick    `json:"store,omitempty"`
	Config *ConfigStatus `json:"config,omitempty"`
}

type storeTick struct {
	StoreStatus
	P50 int64 `json:"p50_us"` // of this second; 0 where it was not asked
	P99 int64 `json:"p99_us"`
}

type limitTick struct {
	Layer         string `json:"layer"`
	Limit         string `json:"limit"`
	Rate          string `json:"rate"`
	Algorithm     string `json:"algorithm"`
	Shadow        bool   `json:"shadow"`
	Allowed       int64  `json:"allowed"`
	Refused       int64  `json:"refused"`
	ShadowRefused int64  `json:"shadow_refused"`
	// Utilisation is the share of its room, 0 to 1, that the caller nearest to the
	// limit had used.
	Utilisation float64 `json:"utilisation"`
}

// pastOf is what history says of a second.
func pastOf(t *trail.Tick) tick {
	out := tick{
		At: t.At.UnixMilli(), Allowed: t.Allowed, Refused: t.Refused, ShadowRefused: t.ShadowRefused,
		Denied: t.Denied, Errors: t.Errors, Degraded: t.Degraded, Limits: make([]limitTick, len(t.Limits)),
	}
	for i, l := range t.Limits {
		out.Limits[i] = limitTick{l.Layer, l.Limit, l.Rate, l.Algorithm, l.Shadow, l.Allowed, l.Refused, l.ShadowRefused, float64(l.Fullest) / 1000}
	}
	return out
}

func (p *port) tickOf(t *trail.Tick) tick {
	out, status := pastOf(t), p.engine.Status()
	out.Store = &storeTick{status.Store, t.P50.Microseconds(), t.P99.Microseconds()}
	out.Config = &status.Config
	return out
}

// refusal is one line of the stream of refusals, and of lists of decisions.
type refusal struct {
	ID         string `json:"id"`
	At         int64  `json:"at_ms"`
	Allowed    bool   `json:"allowed"` // a shadow limit refused, or none
	Layer      string `json:"layer,omitempty"`
	Limit      string `json:"limit,omitempty"`
	Key        string `json:"key,omitempty"`
	Ref        string `json:"ref,omitempty"`
	Method     string `json:"method,omitempty"`
	Path       string `json:"path,omitempty"`
	RetryAfter int64  `json:"retry_after_ms"` // -1 for never
	Shadow     bool   `json:"shadow"`
	Denied     string `json:"denied,omitempty"`
	Degraded   bool   `json:"degraded,omitempty"`
}

func (p *port) refusalOf(k *trail.Record, show shower) refusal {
	out := refusal{
		ID: k.ID.String(), At: k.At.UnixMilli(), Allowed: k.Allowed, Method: k.Request.Method, Path: k.Request.Path,
		RetryAfter: milliseconds(k.RetryAfter), Denied: k.Denied, Degraded: k.Degraded,
	}
	if i := k.Refusing(); i >= 0 {
		key := &k.Checks[i].Key
		out.Layer, out.Limit, out.Key, out.Ref = key.Layer, key.Limit, show(key.Identity), p.trail.Ref(key.Identity)
		if out.Shadow = k.Allowed; out.Shadow {
			out.RetryAfter = milliseconds(k.Results[i].RetryAfter)
		}
	}
	return out
}

func (p *port) refusalsOf(records []*trail.Record, show shower) []refusal {
	out := make([]refusal, len(records))
	for i, k := range records {
		out[i] = p.refusalOf(k, show)
	}
	return out
}

// eventTime is how long a page may take to read what it is sent in a second.
const eventTime = 10 * time.Second

// live streams ticks and refusals as server-sent events until the page goes,
// falls behind, or weir drains.
func (p *port) live(w http.ResponseWriter, r *http.Request) {
	show, ok := p.shows(w, r)
	if !ok {
		return
	}
	past, next, stop, ok := p.trail.Listen()
	if !ok {
		httplimit.NewProblem(http.StatusServiceUnavailable, "There are as many listeners as there may be, or weir is about to stop.").Write(w)
		return
	}
	defer stop()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no") // nginx would hold events back
	to := &events{w: w, control: http.NewResponseController(w)}
	to.control.SetReadDeadline(time.Time{}) // the request has been read, the connection stays
	to.send("history", p.history(past, show))
	for to.err == nil {
		select {
		case t, open := <-next:
			if !open {
				return
			}
			for _, k := range t.Refusals {
				to.send("refusal", p.refusalOf(k, show))
			}
			to.send("tick", p.tickOf(t))
		case <-r.Context().Done():
			return
		}
	}
}

type pastEvent struct {
	Ticks    []tick    `json:"ticks"`    // oldest first
	Refusals []refusal `json:"refusals"` // newest first
}

const refusalsOfHistory = 200

func (p *port) history(past []*trail.Tick, show shower) pastEvent {
	out := pastEvent{Ticks: make([]tick, len(past)), Refusals: p.refusalsOf(p.trail.Refusals(refusalsOfHistory), show)}
	for i, t := range past {
		out.Ticks[i] = pastOf(t)
	}
	return out
}

// events writes server-sent events, until the first that cannot be.
type events struct {
	w       http.ResponseWriter
	control *http.ResponseController
	err     error
}

func (e *events) send(name string, body any) {
	if e.err != nil {
		return
	}
	text, err := json.Marshal(body) // one line
	if err != nil {
		e.err = err
		return
	}
	e.control.SetWriteDeadline(time.Now().Add(eventTime))
	if _, e.err = fmt.Fprintf(e.w, "event: %s\ndata: %s\n\n", name, text); e.err == nil {
		e.err = e.control.Flush()
	}
}
