package main

import (
	"fmt"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"github.com/weirhq/weir/internal/daemon"
)

func newServe() *cobra.Command {
	var o daemon.Options
	var level, format string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the daemon",
		Long: `Run the daemon: /check and /v1/take on the traffic port, health, metrics and
reset on the admin port. Without a configuration it decides by three layers:
1000/min by address, free 60/min and pro 600/min by API key, and 10/min for
/search and 5/min for /export.

WEIR_SECRET keys the hashes of credentials and signs receipts; WEIR_ADMIN_TOKEN
is asked for on the admin port. SIGHUP reloads, SIGTERM drains.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			log, err := newLogger(cmd, level, format)
			if err != nil {
				return err
			}
			// Secrets come from the environment alone: flags are seen by all.
			o.Secret, o.Token = os.Getenv("WEIR_SECRET"), os.Getenv("WEIR_ADMIN_TOKEN")
			return exitError(daemon.Run(cmd.Context(), o, cmd.OutOrStdout(), log))
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.Config, "config", "", "configuration `FILE` (default: the three layers)")
	flags.StringVar(&o.Store, "store", "", "store `URL` (default: the configuration's, else memory:)")
	flags.StringSliceVar(&o.Layers, "layers", nil, "run only these layers, `NAME,...`")
	flags.StringVar(&o.HTTP, "http", "127.0.0.1:8080", "traffic `ADDR`; empty turns it off")
	flags.StringVar(&o.Admin, "admin", "127.0.0.1:9090", "admin `ADDR`; empty turns it off")
	flags.StringVar(&level, "log-level", "info", "debug, info, warn or error")
	flags.StringVar(&format, "log-format", "text", "text or json")
	return cmd
}

func newLogger(cmd *cobra.Command, level, format string) (*slog.Logger, error) {
	var options slog.HandlerOptions
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		return nil, fmt.Errorf("--log-level %q is not debug, info, warn or error", level)
	}
	options.Level = l
	switch format {
	case "text":
		return slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &options)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(cmd.ErrOrStderr(), &options)), nil
	default:
		return nil, fmt.Errorf("--log-format %q is not text or json", format)
	}
}
