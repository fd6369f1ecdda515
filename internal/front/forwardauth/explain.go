package forwardauth

import (
	"encoding/json"
	"net/http"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/clientip"
	"github.com/weirhq/weir/httplimit"
	"github.com/weirhq/weir/policy"
)

// diagnosis says what a check was understood to be, and how it would come out. It
// shows no credential.
type diagnosis struct {
	Peer    string  `json:"peer"`
	Trusted bool    `json:"trusted"`
	Profile string  `json:"profile"`
	Client  client  `json:"client"`
	Request request `json:"request"`
	Options query   `json:"options"`
	// Believed are the profile's headers, and Missing those of them that the peer
	// did not send. Ignored look like them and are not.
	Believed []field  `json:"believed"`
	Missing  []string `json:"missing"`
	Ignored  []field  `json:"ignored"`
	Layers   []layer  `json:"layers"`
	Answer   answer   `json:"answer"`
}

type client struct {
	Address  string `json:"address"`  // "" is unknown
	Identity string `json:"identity"` // what is counted by: IPv6 by its network
	Header   string `json:"header"`   // that is believed
	Outcome  string `json:"outcome"`  // clientip's word
	Why      string `json:"why"`
	Caller   string `json:"caller"` // how an API key is known
	Plan     string `json:"plan"`
}

type request struct {
	Method string `json:"method"`
	Host   string `json:"host"`
	Path   string `json:"path"`
}

type query struct {
	Cost  int64  `json:"cost"`
	Peek  bool   `json:"peek"`
	Deny  int    `json:"deny,omitempty"`
	Accel string `json:"accel,omitempty"`
}

// answer is what the same check without explain would get now.
type answer struct {
	Status     int    `json:"status"`
	Allowed    bool   `json:"allowed"`
	Why        string `json:"why"`
	Layer      string `json:"layer,omitempty"` // whose limit refuses
	RetryAfter int64  `json:"retry_after_ms"`  // -1 is never
	Degraded   bool   `json:"degraded"`
}

// explain answers with a diagnosis, to trusted peers only: it tells how the limits
// are made and how far others have used them.
func (h *handler) explain(w http.ResponseWriter, r *http.Request, in *reading, o options) {
	if !in.attributes.Trusted {
		httplimit.NewProblem(http.StatusForbidden, "A diagnosis is for trusted peers: add the address that asks to trusted_proxies in the configuration.").Write(w)
		return
	}
	in.attributes.Cost = o.cost
	made, d, err := h.engine.Explain(r.Context(), &in.attributes)
	there, missing := h.profile.believed(r.Header)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	out.Encode(diagnosis{ // the client is gone if this fails
		Peer: in.peer.String(), Trusted: true, Profile: h.profile.Name,
		Client: client{
			Address: address(in), Identity: made.Address, Header: h.profile.client.Name(),
			Outcome: in.outcome.String(), Why: outcomes[in.outcome], Caller: made.Client, Plan: made.Plan,
		},
		Request:  request{made.Method, made.Host, made.Path},
		Options:  query{o.cost, o.peek, o.deny, o.accel},
		Believed: list(there), Missing: list(missing), Ignored: list(h.profile.ignored(r.Header)),
		Layers: layers(&made, &d),
		Answer: o.answer(in, &made, &d, err),
	})
}

func address(in *reading) string {
	if !in.attributes.IP.IsValid() {
		return ""
	}
	return in.attributes.IP.String()
}

// list is never null in JSON.
func list[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}

var outcomes = map[clientip.Outcome]string{
	clientip.Absent:     "the peer sent no such header: its own address counts",
	clientip.Found:      "the nearest address in the header that is not among trusted_proxies",
	clientip.AllTrusted: "all addresses in the header are among trusted_proxies: the farthest counts",
	clientip.Junk:       "something in the header is no address, or it is too long or there twice: the last good one before it counts, at worst the peer's",
}

func (o *options) answer(in *reading, made *policy.Explanation, d *weir.Decision, err error) answer {
	switch {
	case in.wrong != nil:
		return answer{Status: http.StatusBadRequest, Why: in.wrong.Error()}
	case err != nil:
		return answer{Status: noDecision.Status, Why: noDecision.Detail}
	case !d.Allowed:
		p := o.refusal(d)
		a := answer{Status: p.Status, Why: p.Detail, RetryAfter: milliseconds(d.RetryAfter), Degraded: d.Degraded}
		if d.Refused >= 0 {
			a.Layer = d.Checks[d.Refused].Key.Layer
		}
		return a
	}
	a := answer{Status: http.StatusOK, Allowed: true, Why: "Every layer that counts it has room.", Degraded: d.Degraded}
	if made.Allowed {
		a.Why = "The caller is on the allow list: no layer counts it."
	}
	return a
}
