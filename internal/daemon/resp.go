package daemon

import (
	"log/slog"

	"github.com/weirhq/weir/internal/front/resp"
)

func newRESPServer(o *Options, e *Engine, log *slog.Logger) *resp.Server {
	return resp.New(e, resp.Options{Token: o.Token, Watcher: e.metrics.RESP(append(resp.Names(), resp.Unknown)...), Log: log})
}
