package main

import (
	"errors"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weirhq/weir/internal/daemon"
)

// runDaemon makes the command run the daemon. The flags are those that serve and
// proxy share; the command's own come before, and mode puts them into the options.
func runDaemon(cmd *cobra.Command, mode func(*daemon.Options)) {
	var o daemon.Options
	level := newChoice("info", "debug", "info", "warn", "error")
	format := newChoice("text", "text", "json")
	cmd.Args = noArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		// Secrets come from the environment alone: flags are seen by all.
		o.Secret, o.Token = secret("WEIR_SECRET"), secret("WEIR_ADMIN_TOKEN")
		mode(&o)
		return exitError(daemon.Run(cmd.Context(), o, cmd.OutOrStdout(), newLogger(cmd, level.value, format.value)))
	}
	flags := cmd.Flags()
	flags.StringVar(&o.Config, "config", "", "configuration `FILE`; without one, the default three layers")
	flags.StringVar(&o.Store, "store", "", "where the states are, `URL`: memory: or redis://HOST:PORT and the like (default: as in the configuration, else memory:)")
	flags.StringSliceVar(&o.Layers, "layers", nil, "run only these layers, `NAME,...`")
	flags.StringVar(&o.HTTP, "http", "127.0.0.1:8080", "traffic `ADDR`; empty turns it off")
	flags.StringVar(&o.GRPC, "grpc", "127.0.0.1:8081", "gRPC `ADDR`; empty turns it off")
	flags.StringVar(&o.RESP, "resp", "127.0.0.1:6380", "`ADDR` for clients of Redis: CL.THROTTLE; empty turns it off")
	flags.StringVar(&o.Admin, "admin", "127.0.0.1:9090", "admin `ADDR`; empty turns it off")
	flags.StringVar(&o.TLS.Cert, "tls-cert", "", "certificate `FILE` (PEM) of every listener; a change takes effect within a second")
	flags.StringVar(&o.TLS.Key, "tls-key", "", "the certificate's key, `FILE` (PEM)")
	flags.StringVar(&o.TLS.ClientCA, "tls-client-ca", "", "authorities, `FILE` (PEM): clients need a certificate of one of them, on the admin port for all but health")
	flags.StringVar(&o.EnvoyConfig, "envoy-config", "", "take Envoy's rate limit requests, by the files of envoyproxy/ratelimit in `DIR`")
	flags.BoolVar(&o.EnvoyHeaders, "envoy-headers", false, "answer them with X-RateLimit headers to add to responses")
	flags.BoolVar(&o.EnvoyMetadata, "envoy-metadata", false, "answer them with dynamic metadata")
	flags.Var(level, "log-level", "how much to log")
	flags.Var(format, "log-format", "how to log, on standard error")
	withEnvironment(cmd)
	cmd.MarkFlagFilename("config", "yaml", "yml")
	cmd.MarkFlagDirname("envoy-config")
	completeChoice(cmd, "log-level", level)
	completeChoice(cmd, "log-format", format)
	cmd.SetUsageTemplate(cmd.UsageTemplate() + `
Environment, for what must not be seen among a process's arguments, and traces:
  WEIR_SECRET        keys the hashes of API keys and signs receipts; the same for
                     all processes that are to accept each other's receipts
  WEIR_ADMIN_TOKEN   asked for on the admin port as Authorization: Bearer TOKEN;
                     needed where that port is not on loopback, and on the RESP
                     port for DEL, by AUTH
  OTEL_EXPORTER_OTLP_ENDPOINT
                     where to export a span for each decision, by OTLP over HTTP:
                     http://127.0.0.1:4318; OTEL_TRACES_SAMPLER and others as well
`)
}

func completeChoice(cmd *cobra.Command, flag string, c *choice) {
	cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(c.words, cobra.ShellCompDirectiveNoFileComp))
}

func newLogger(cmd *cobra.Command, level, format string) *slog.Logger {
	var options slog.HandlerOptions
	var l slog.Level
	l.UnmarshalText([]byte(level)) // it is one of the words
	options.Level = l
	if format == "json" {
		return slog.New(slog.NewJSONHandler(cmd.ErrOrStderr(), &options))
	}
	return slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &options))
}

// exitError sorts what the daemon returns.
func exitError(err error) error {
	var usage *daemon.UsageError
	if err == nil || errors.As(err, &usage) {
		return err
	}
	return &noError{err}
}

// secret reads a secret without the line's end that a file mounted into the
// environment often has.
func secret(name string) string { return strings.TrimSpace(os.Getenv(name)) }
