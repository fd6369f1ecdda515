package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/weirhq/weir/internal/daemon"
)

func newProxy() *cobra.Command {
	var p daemon.Proxy
	cmd := &cobra.Command{
		Use:   "proxy --upstream URL",
		Short: "Run the daemon as a reverse proxy",
		Long: `Run the daemon as a reverse proxy: what the policy admits goes on to the upstream,
what it refuses is answered with 429. The traffic port belongs to the upstream
alone; /check and /v1 on it are the upstream's. The admin port is as with serve.

Bodies stream in both directions; websockets, server-sent events, gRPC (with an
upstream h2c:// or https://) and HTTP/2 pass. No request is sent twice. The
upstream is told the client's address in X-Forwarded-For and X-Real-IP.

Configuration, reload and drain are as with serve: weir serve -h.`,
		Example: `  weir proxy --upstream http://127.0.0.1:3000
  weir proxy --upstream https://api.example.com --rewrite-host
  weir proxy --upstream h2c://127.0.0.1:50051 --tls-cert cert.pem --tls-key key.pem --http :443`,
	}
	flags := cmd.Flags()
	flags.StringVar(&p.Upstream, "upstream", "", "where requests go, `URL`: http://, https:// or h2c:// (HTTP/2 in the clear)")
	flags.BoolVar(&p.RewriteHost, "rewrite-host", false, "send the upstream its own host as Host; it gets the client's else")
	flags.DurationVar(&p.Timeout, "upstream-timeout", time.Minute, "how long the upstream may take to begin its answer, and either side to go on")
	runDaemon(cmd, func(o *daemon.Options) { o.Proxy = &p })
	return cmd
}
