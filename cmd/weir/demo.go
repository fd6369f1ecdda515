package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/weirhq/weir/internal/demo"
)

func newDemo() *cobra.Command {
	var o demo.Options
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "See weir at work: a daemon, an upstream and lively traffic",
		Long: `See weir at work: the daemon as a proxy, in memory, before a small upstream, and
three dozen callers of several kinds, some of which ask for more than they may. It
prints the dashboard's address, then every five seconds what happened, and at the
end what the layers said. Nothing leaves this machine, and nothing stays.`,
		Example: `  weir demo
  weir demo --duration 30s`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Duration < 0 {
				return fmt.Errorf("--duration %s is negative", o.Duration)
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			o.Token = secret("WEIR_ADMIN_TOKEN")
			return exitError(demo.Run(ctx, o, cmd.OutOrStdout(), newLogger(cmd, "warn", "text")))
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.HTTP, "http", "", "the proxy's `ADDR` (default 127.0.0.1:8080, or a free port where that is taken)")
	flags.StringVar(&o.Admin, "admin", "", "the dashboard's `ADDR` (default 127.0.0.1:9090, or a free port where that is taken)")
	flags.DurationVar(&o.Duration, "duration", 0, "how long to run; 0 is until Ctrl-C")
	withEnvironment(cmd)
	return cmd
}
