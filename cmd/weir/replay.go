package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/weirhq/weir/internal/replay"
	"github.com/weirhq/weir/policy"
)

func newReplay() *cobra.Command {
	var r replayFlags
	r.format = newChoice(replay.Auto, replay.Formats()...)
	cmd := &cobra.Command{
		Use:   "replay LOG...",
		Short: "Say what a policy would have done to the requests in access logs",
		Long: `Say what a policy would have refused of the requests in access logs, and which
limits would suit them. Logs are plain or compressed by gzip, "-" is standard
input, and several are merged by time. Nothing is asked of a store. Without
--config it is the default policy.`,
		Example: `  weir replay --config weir.yaml access.log access.log.1.gz
  weir replay --html report.html access.log
  ssh web1 cat /var/log/nginx/access.log | weir replay --json -`,
		RunE: func(cmd *cobra.Command, files []string) error { return r.run(cmd, files) },
	}
	flags := cmd.Flags()
	flags.StringVar(&r.config, "config", "", "configuration `FILE`; without one, the default three layers")
	flags.Var(r.format, "format", "how the logs are written")
	flags.StringVar(&r.html, "html", "", "write a page with charts to the file `OUT` too")
	flags.BoolVar(&r.json, "json", false, "print JSON")
	cmd.MarkFlagFilename("config", "yaml", "yml")
	cmd.MarkFlagFilename("html", "html")
	completeChoice(cmd, "format", r.format)
	return cmd
}

type replayFlags struct {
	config, html string
	format       *choice
	json         bool
}

func (r *replayFlags) run(cmd *cobra.Command, files []string) error {
	if len(files) == 0 {
		return errors.New("replay takes a LOG, or - for standard input")
	}
	o, err := r.options(cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	logs, err := openLogs(files, cmd.InOrStdin())
	if err != nil {
		return err
	}
	defer logs.close()
	report, err := logs.replay(cmd, o)
	if err != nil {
		return err
	}
	if err := r.write(cmd.OutOrStdout(), report); err != nil {
		return &noError{err}
	}
	return incomplete(report)
}

func (r *replayFlags) options(stderr io.Writer) (replay.Options, error) {
	o := replay.Options{Policy: policy.Default(), Format: r.format.value}
	if r.config == "" {
		return o, nil
	}
	config, p, _, err := readPolicy(r.config)
	if err != nil {
		return o, err
	}
	if config.Clients.Redis != "" {
		fmt.Fprintln(stderr, "weir: plans in Redis are not asked for here: every API key counts as one that is not listed")
	}
	o.Policy = p
	return o, nil
}

func (r *replayFlags) write(out io.Writer, report *replay.Report) error {
	var failed error // the page alone: the report is not lost with it
	if r.html != "" {
		failed = writePage(r.html, report.WriteHTML)
	}
	if !r.json {
		return errors.Join(failed, report.WriteText(out))
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return errors.Join(failed, encoder.Encode(report))
}

// incomplete is an error where a log could not be read to its end. What was read
// has been reported by then.
func incomplete(report *replay.Report) error {
	for _, f := range report.Files {
		if f.Error != "" {
			return &noError{fmt.Errorf("%s was not read to its end: %s", f.Name, f.Error)}
		}
	}
	return nil
}
