package main

import (
	"github.com/spf13/cobra"

	"github.com/weirhq/weir/internal/daemon"
)

func newServe() *cobra.Command {
	profile := newChoice(daemon.Profiles()[0], daemon.Profiles()...)
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the daemon",
		Long: `Run the daemon: /check, /v1/take and /v1/refund on the traffic port; Envoy's
external authorization on the gRPC port; its rate limit service there and /json on
the traffic port, where --envoy-config is given; CL.THROTTLE for clients of Redis
on the RESP port; the dashboard, health, metrics and reset on the admin port.

Without a configuration it decides by three layers: edge, 1000/min by address;
gateway, by API key, 60/min on the plan free and 600/min on pro; endpoint,
/search 10/min and /export 5/min by API key, or by address without one.

A change to the configuration's file takes effect within a second, and SIGHUP
reloads at once; a bad file leaves the one before in use. SIGTERM and SIGINT
drain: what is under way is answered. Of a flag, an environment variable and the
configuration, the first that is given counts.`,
		Example: `  weir serve
  weir serve --config weir.yaml --http :8080
  weir serve --layers edge --admin ''
  weir serve --envoy-config /data/ratelimit/config --grpc :8081
  WEIR_ADMIN_TOKEN=$(cat token) weir serve --admin :9090`,
	}
	cmd.Flags().Var(profile, "profile", "whose headers /check believes, from trusted proxies only, `NAME`: plain, nginx (Apache too), haproxy, caddy, traefik or envoy")
	completeChoice(cmd, "profile", profile)
	runDaemon(cmd, func(o *daemon.Options) { o.Profile = profile.value })
	return cmd
}
