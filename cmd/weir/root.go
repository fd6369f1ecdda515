package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weirhq/weir/internal/daemon"
)

// The exit codes.
const (
	exitDone  = 0
	exitNo    = 1 // the answer is no, or weir failed while running
	exitUsage = 2 // wrong use or a bad configuration
)

// run is the program: its exit code is what main exits with.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitDone
	}
	if !errors.Is(err, errSaid) {
		fmt.Fprintln(stderr, "weir:", err)
	}
	var no *noError
	if errors.As(err, &no) {
		return exitNo
	}
	return exitUsage
}

// noError is a failure that is not the user's wrong use.
type noError struct{ err error }

func (e *noError) Error() string { return e.err.Error() }
func (e *noError) Unwrap() error { return e.err }

// errSaid is an error that has been printed already.
var errSaid = errors.New("said")

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "weir",
		Short: "The rate limiter: decides for each request whether it may pass now",
		Long: `weir decides for each request, atomically, whether it may pass now.

  weir serve                     the daemon, with the default three layers
  weir check weir.yaml           validate a configuration

Every flag is also an environment variable: --log-level is WEIR_LOG_LEVEL.`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.AddCommand(newServe(), newCheck(), newVersion())
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return fromEnvironment(cmd.Flags()) }
	root.CompletionOptions.HiddenDefaultCmd = false
	return root
}

// fromEnvironment sets the flags that the command line left alone from WEIR_*.
func fromEnvironment(flags *pflag.FlagSet) error {
	var failed error
	flags.VisitAll(func(f *pflag.Flag) {
		name := "WEIR_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		value, found := os.LookupEnv(name)
		if !found || f.Changed || f.Name == "help" || failed != nil {
			return
		}
		if err := flags.Set(f.Name, value); err != nil {
			failed = fmt.Errorf("%s=%q: %w", name, value, err)
		}
	})
	return failed
}

// exitError sorts what the daemon returns.
func exitError(err error) error {
	var usage *daemon.UsageError
	if err == nil || errors.As(err, &usage) {
		return err
	}
	return &noError{err}
}
