package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weirhq/weir/internal/strictyaml"
	"github.com/weirhq/weir/policy"
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
	printError(stderr, err)
	var no *noError
	if errors.As(err, &no) {
		return exitNo
	}
	return exitUsage
}

// printError leaves FILE:LINE:COL at the start of its line, where editors look
// for it.
func printError(w io.Writer, err error) {
	var config *policy.ConfigErrors
	var envoy strictyaml.Problems
	switch {
	case errors.Is(err, errSaid):
	case errors.As(err, &config) && positioned(config), errors.As(err, &envoy):
		fmt.Fprintln(w, err)
	default:
		fmt.Fprintln(w, "weir:", strings.TrimSpace(err.Error()))
	}
}

func positioned(all *policy.ConfigErrors) bool { return all.Errors[0].File != "" }

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
		Long:  "weir decides for each request, at once and exactly, whether it may pass now.",
		Example: `  weir serve                          the daemon, in memory, with the default three layers
  weir serve --config weir.yaml       the same by a configuration of your own
  weir check weir.yaml                validate a configuration
  source <(weir completion bash)      complete commands and flags in this shell`,
		Version:       buildVersion(),
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate(versionText())
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(newServe(), newProxy(), newCheck(), newExplain(), newKeys(), newReplay(), newCompare(), newDemo(), newVersion(), newCompletion())
	root.SetHelpCommand(newHelp(root))
	return root
}

// newHelp replaces cobra's, which finds that an unknown command is no error.
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, _, err := root.Find(args)
			if err != nil {
				return err
			}
			cmd.InitDefaultHelpFlag() // as for cmd -h
			return cmd.Help()
		},
	}
}

// noArgs is cobra.NoArgs in words that fit a command without subcommands.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%s takes no argument, and %q is one", cmd.Name(), args[0])
	}
	return nil
}
