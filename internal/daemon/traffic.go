package daemon

import (
	"net/http"
	"strings"

	"github.com/weirhq/weir/httplimit"
	"github.com/weirhq/weir/internal/front/envoyrls"
	"github.com/weirhq/weir/internal/front/forwardauth"
	"github.com/weirhq/weir/internal/front/httpjson"
)

// traffic is the handler of the traffic port. It is no http.ServeMux: that would
// redirect /check//search, and a check is answered, never redirected. It goes by
// the path as it was sent, as the front does: /%63heck is not /check.
func traffic(e *Engine, p forwardauth.Profile) http.Handler {
	check, api := forwardauth.New(e, p), httpjson.New(e)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.EscapedPath()
		switch {
		case path == forwardauth.Prefix || strings.HasPrefix(path, forwardauth.Prefix+"/"):
			check.ServeHTTP(w, r)
		case strings.HasPrefix(path, "/v1/"):
			api.ServeHTTP(w, r)
		default:
			httplimit.NewProblem(http.StatusNotFound, "There is nothing here; there are /check, /v1/take, /v1/take/batch and /v1/refund.").Write(w)
		}
	})
}

// withEnvoy puts Envoy's requests as JSON beside the others, where they are taken.
func withEnvoy(next http.Handler, o *Options, e *Engine) http.Handler {
	if o.EnvoyConfig == "" {
		return next
	}
	envoy := map[string]http.Handler{
		"/json":        envoyrls.New(e, o.envoyAnswers()).JSON(),
		"/healthcheck": envoyrls.Healthcheck(e.isReady),
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h := envoy[r.URL.EscapedPath()]; h != nil {
			h.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}
