package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weirhq/weir"
)

// flagError says what a misspelt flag was probably meant to be, or whose it is.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return fmt.Errorf("%w\n%s -h lists the flags", err, cmd.CommandPath())
	}
	if other := sibling(cmd, unknown.GetSpecifiedName()); other != nil {
		return fmt.Errorf("%w: it is one of %s", err, other.CommandPath())
	}
	if near := weir.Nearest(unknown.GetSpecifiedName(), flagNames(cmd)); near != "" {
		return fmt.Errorf("%w: did you mean --%s?", err, near)
	}
	return fmt.Errorf("%w\n%s -h lists the flags", err, cmd.CommandPath())
}

// sibling is the only command beside this one that has the flag; nil where several
// have it, or none.
func sibling(cmd *cobra.Command, flag string) (only *cobra.Command) {
	if cmd.Parent() == nil {
		return nil
	}
	for _, other := range cmd.Parent().Commands() {
		switch {
		case other.Flags().Lookup(flag) == nil:
		case only != nil:
			return nil
		default:
			only = other
		}
	}
	return only
}

func flagNames(cmd *cobra.Command) (names []string) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return names
}

// withEnvironment makes every flag of the command an environment variable too,
// says so in its help, and reads those that the command line leaves alone.
func withEnvironment(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) { f.Usage += " [" + variable(f) + "]" })
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error { return fromEnvironment(cmd.Flags()) }
}

// variable is --log-level as WEIR_LOG_LEVEL.
func variable(f *pflag.Flag) string {
	return "WEIR_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
}

func fromEnvironment(flags *pflag.FlagSet) error {
	var failed error
	flags.VisitAll(func(f *pflag.Flag) {
		value, found := os.LookupEnv(variable(f))
		if !found || f.Changed || f.Name == "help" || failed != nil {
			return
		}
		if _, isChoice := f.Value.(*choice); isChoice && value == "" {
			return // an address may be empty: that turns it off
		}
		if err := flags.Set(f.Name, value); err != nil {
			failed = fmt.Errorf("%s=%q: %w", variable(f), value, errors.Unwrap(err))
		}
	})
	return failed
}
