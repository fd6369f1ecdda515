package admin

import (
	"encoding/json"
	"net/http"

	"github.com/weirhq/weir/httplimit"
)

// Configuration is the one in use, to show: nothing in it is secret.
type Configuration struct {
	YAML string          `json:"yaml"`   // in its canonical form
	JSON json.RawMessage `json:"config"` // the same
}

type configAnswer struct {
	ConfigStatus
	Configuration
	Session session `json:"session"`
}

// session tells a page what it may do.
type session struct {
	// Token says that an admin token is set. Whoever reads this has given it.
	Token bool `json:"token"`
	// MayChange says that a page may reset callers: without a token it may only
	// look, for whoever can reach this port could.
	MayChange bool `json:"may_change"`
	// MayUnmask says that ?full=1 shows keys in full.
	MayUnmask bool `json:"may_unmask"`
}

func (p *port) configuration(w http.ResponseWriter, _ *http.Request) {
	token := p.options.Token != ""
	c, err := p.engine.Configuration()
	if err != nil {
		httplimit.NewProblem(http.StatusInternalServerError, "The configuration cannot be shown.").Write(w)
		return
	}
	writeJSON(w, http.StatusOK, configAnswer{p.engine.Status().Config, c, session{token, token, token}})
}

// readOnly turns pages away that would change something where no token is set.
// Programs, which send no such header, are let pass on loopback as ever.
func (p *port) readOnly(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if p.options.Token == "" && (r.Header.Get("Sec-Fetch-Site") != "" || r.Header.Get("Origin") != "") {
			httplimit.NewProblem(http.StatusForbidden, "Without an admin token a page is read-only: set WEIR_ADMIN_TOKEN.").Write(w)
			return
		}
		next(w, r)
	}
}
