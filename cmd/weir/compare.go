package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/compare"
)

func newCompare() *cobra.Command {
	var c compareFlags
	cmd := &cobra.Command{
		Use:   "compare",
		Short: "Show what the five algorithms make of one traffic",
		Long: `Show what the five algorithms make of one traffic of one caller: what each admits
and refuses over time, the most that passes within any period, the spacing of what
passes, and the memory of a key.

The traffic is boundary (the limit's count just before a window of the clock ends,
and again just after), burst, steady or poisson, made for the limit; or an access
log, whose requests are taken to be one caller's.`,
		Example: `  weir compare
  weir compare --limit 10/s --burst 3 --traffic steady
  weir compare --limit 600/min --traffic access.log --html compare.html`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.run(cmd) },
	}
	flags := cmd.Flags()
	flags.StringVar(&c.limit, "limit", "100/min", "`RATE`, as 100/min")
	flags.Int64Var(&c.burst, "burst", 0, "`N`, of gcra and token-bucket; by default the limit's count")
	flags.StringVar(&c.traffic, "traffic", "boundary", "boundary, burst, steady, poisson or an access `LOG`")
	flags.StringVar(&c.html, "html", "", "write a page to `FILE` too")
	flags.BoolVar(&c.json, "json", false, "print JSON")
	cmd.RegisterFlagCompletionFunc("traffic", cobra.FixedCompletions(compare.Names(), cobra.ShellCompDirectiveDefault))
	cmd.MarkFlagFilename("html", "html")
	return cmd
}

type compareFlags struct {
	limit, traffic, html string
	burst                int64
	json                 bool
}

func (c *compareFlags) run(cmd *cobra.Command) error {
	rate, err := weir.ParseRate(c.limit)
	if err != nil {
		return fmt.Errorf("--limit: %s", strings.TrimPrefix(err.Error(), "weir: "))
	}
	if rate.Count < 1 {
		return fmt.Errorf("--limit %s admits nothing: there is nothing to compare", c.limit)
	}
	if cmd.Flags().Changed("burst") && c.burst < 1 {
		return fmt.Errorf("--burst %d is below 1", c.burst)
	}
	traffic, err := c.made(cmd, rate)
	if err != nil {
		return err
	}
	report, err := compare.Run(traffic, compare.Options{Rate: rate, Burst: c.burst})
	if err != nil {
		return fmt.Errorf("--limit: %s", strings.TrimPrefix(err.Error(), "weir: "))
	}
	if err := c.write(cmd.OutOrStdout(), report); err != nil {
		return &noError{err}
	}
	return nil
}

// made is the traffic of that name, or of the log of that name.
func (c *compareFlags) made(cmd *cobra.Command, rate weir.Rate) (compare.Traffic, error) {
	if t, ok := compare.Make(c.traffic, rate); ok {
		return t, nil
	}
	t, err := trafficOf(cmd, c.traffic)
	if os.IsNotExist(err) && !strings.ContainsAny(c.traffic, "./") {
		if near := weir.Nearest(c.traffic, compare.Names()); near != "" {
			return t, fmt.Errorf("--traffic %s is neither a traffic nor a log: did you mean %s?", c.traffic, near)
		}
		return t, fmt.Errorf("--traffic %s is neither a log nor one of %s", c.traffic, strings.Join(compare.Names(), ", "))
	}
	return t, err
}

// trafficOf are the instants of a log's requests.
func trafficOf(cmd *cobra.Command, name string) (compare.Traffic, error) {
	logs, err := openLogs([]string{name}, cmd.InOrStdin())
	if err != nil {
		return compare.Traffic{}, err
	}
	defer logs.close()
	at, err := logs.instants(cmd)
	if err != nil {
		return compare.Traffic{}, err
	}
	if len(at) == 0 {
		return compare.Traffic{}, fmt.Errorf("%s holds no request", name)
	}
	slices.Sort(at)
	return compare.Traffic{Name: name, At: at, From: at[0], To: at[len(at)-1] + 1}, nil
}

func (c *compareFlags) write(stdout io.Writer, r *compare.Report) error {
	var failed error
	if c.html != "" {
		failed = writePage(c.html, r.WriteHTML)
	}
	if !c.json {
		return errors.Join(failed, r.WriteText(stdout))
	}
	encoder := json.NewEncoder(stdout)
	encoder.SetIndent("", "  ")
	return errors.Join(failed, encoder.Encode(r))
}
