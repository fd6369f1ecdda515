package admin

import (
	"net/http"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/httplimit"
	"github.com/weirhq/weir/internal/trail"
)

type listAnswer struct {
	Decisions []refusal `json:"decisions"` // newest first
}

// decisions lists those that are remembered; with ?refused=1 those that a limit
// or a list refused, in shadow too.
func (p *port) decisions(w http.ResponseWriter, r *http.Request) {
	show, ok := p.shows(w, r)
	if !ok {
		return
	}
	n, ok := number(w, r, "n", 200, 1000)
	if !ok {
		return
	}
	var records []*trail.Record
	switch r.URL.Query().Get("refused") {
	case "1":
		records = p.trail.Refusals(n)
	case "", "0":
		records = p.trail.Admissions(n)
	default:
		httplimit.NewProblem(http.StatusBadRequest, "refused is 0 or 1.").Write(w)
		return
	}
	writeJSON(w, http.StatusOK, listAnswer{p.refusalsOf(records, show)})
}

func (p *port) decision(w http.ResponseWriter, r *http.Request) {
	show, ok := p.shows(w, r)
	if !ok {
		return
	}
	id, err := weir.ParseID(r.PathValue("id"))
	if err != nil {
		httplimit.NewProblem(http.StatusBadRequest, "A decision's id has 16 hexadecimal digits.").Write(w)
		return
	}
	k := p.trail.Decision(id)
	if k == nil {
		httplimit.NewProblem(http.StatusNotFound, "This process does not remember such a decision: it keeps the last few thousand, refused ones longest, and where there are more than 1000 a second, not all of them.").Write(w)
		return
	}
	writeJSON(w, http.StatusOK, p.explained(k, show))
}
