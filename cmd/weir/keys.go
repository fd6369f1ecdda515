package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/weirhq/weir"
)

func newKeys() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "keys",
		Short: "Say who asks most, what a caller has left, and reset callers, in a running weir",
		Long: `Ask a running weir about callers: who asks most under a limit, what one has left,
and forget what one has used.`,
		Example: `  weir keys list --layer edge --sort refused
  weir keys peek --layer gateway --key k1
  weir keys reset --layer edge --key 203.0.113.7`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("keys has no subcommand %q%s", args[0], meant(args[0]))
			}
			return errors.New("keys takes list, peek or reset")
		},
	}
	cmd.AddCommand(newKeysList(), newKeysPeek(), newKeysReset())
	return cmd
}

func meant(word string) string {
	if near := weir.Nearest(word, []string{"list", "peek", "reset"}); near != "" {
		return ": did you mean " + near + "?"
	}
	return ": there are list, peek and reset"
}

// keysFlags name the caller.
type keysFlags struct {
	port       adminPort
	layer, key string
}

func (f *keysFlags) add(cmd *cobra.Command, withKey bool) {
	cmd.Args = noArgs
	f.port.flags(cmd)
	cmd.Flags().StringVar(&f.layer, "layer", "", "the `LAYER`; required")
	if withKey {
		cmd.Flags().StringVar(&f.key, "key", "", "the caller, `KEY`: an address, an API key, or as answers show it; required")
	}
}

func (f *keysFlags) check(cmd *cobra.Command, withKey bool) error {
	switch {
	case f.layer == "" && withKey:
		return fmt.Errorf("keys %s takes --layer and --key", cmd.Name())
	case f.layer == "":
		return fmt.Errorf("keys %s takes --layer", cmd.Name())
	case withKey && f.key == "":
		return fmt.Errorf("keys %s takes --key too", cmd.Name())
	}
	return nil
}

func newKeysList() *cobra.Command {
	var f keysFlags
	var limit string
	var n int
	sort := newChoice("heaviest", "heaviest", "refused")
	cmd := &cobra.Command{
		Use:   "list",
		Short: "Say who asks most under a limit, or is refused most",
		Long: `Say who asked most under a limit in the last minutes, or was refused most. Keys are
masked. The ref beside one stands for it in peek and reset.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(cmd, false); err != nil {
				return err
			}
			query := url.Values{"layer": {f.layer}, "sort": {sort.value}, "n": {strconv.Itoa(n)}}
			if limit != "" {
				query.Set("limit", limit)
			}
			return f.list(cmd, query)
		},
	}
	f.add(cmd, false)
	f.port.fullFlag(cmd)
	cmd.Flags().StringVar(&limit, "limit", "", "the limit's `NAME`; needed where the layer has several")
	cmd.Flags().IntVarP(&n, "n", "n", 20, "how many")
	cmd.Flags().Var(sort, "sort", "by what they ask, or by refusals")
	completeChoice(cmd, "sort", sort)
	return cmd
}

func (f *keysFlags) list(cmd *cobra.Command, query url.Values) error {
	var found struct {
		Layer, Limit, Rate string
		Callers            int64
		Exact              bool
		Span               int64 `json:"span_ms"`
		Keys               []struct {
			Ref, Key             string
			Asked, Refused, Peak int64
		}
	}
	text, err := f.port.ask(cmd, http.MethodGet, "/v1/keys", query, nil, &found)
	if err != nil {
		return err
	}
	if f.port.json {
		return printJSON(cmd.OutOrStdout(), text)
	}
	about, callers := "", "callers"
	if !found.Exact {
		about = "about "
	}
	if found.Callers == 1 {
		callers = "caller"
	}
	span := time.Duration(found.Span) * time.Millisecond
	fmt.Fprintf(cmd.OutOrStdout(), "%s/%s, %s: %s%d %s in the last %s to %s\n\n", found.Layer, found.Limit, found.Rate, about, found.Callers, callers, short(span), short(2*span))
	table := newTable(cmd.OutOrStdout())
	fmt.Fprintln(table, "KEY\tASKED\tREFUSED\tPEAK\tREF")
	for _, k := range found.Keys {
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%s\n", k.Key, k.Asked, k.Refused, k.Peak, k.Ref)
	}
	return table.Flush()
}

// short is 5m0s as 5m, and 1h0m0s as 1h.
func short(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

func newTable(w io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(w, 0, 0, 2, ' ', 0) }

func newKeysPeek() *cobra.Command {
	var f keysFlags
	cmd := &cobra.Command{
		Use:   "peek",
		Short: "Say what a caller has left in a layer; it charges nothing",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(cmd, true); err != nil {
				return err
			}
			return f.peek(cmd)
		},
	}
	f.add(cmd, true)
	f.port.fullFlag(cmd)
	return cmd
}

func (f *keysFlags) peek(cmd *cobra.Command) error {
	var found struct {
		Key    string
		Limits []struct {
			Limit, Rule               string
			Allowed                   bool
			Used, Capacity, Remaining int64
			RetryAfter                int64 `json:"retry_after_ms"`
		}
	}
	text, err := f.port.ask(cmd, http.MethodGet, "/v1/keys", url.Values{"layer": {f.layer}, "key": {f.key}}, nil, &found)
	if err != nil {
		return err
	}
	if f.port.json {
		return printJSON(cmd.OutOrStdout(), text)
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s in %s\n\n", found.Key, f.layer)
	table := newTable(cmd.OutOrStdout())
	fmt.Fprintln(table, "LIMIT\tRULE\tUSED\tLEFT\tNEXT")
	for _, l := range found.Limits {
		next := "passes"
		if !l.Allowed {
			next = wait(l.RetryAfter)
		}
		fmt.Fprintf(table, "%s\t%s\t%d of %d\t%d\t%s\n", l.Limit, l.Rule, l.Used, l.Capacity, l.Remaining, next)
	}
	return table.Flush()
}

func newKeysReset() *cobra.Command {
	var f keysFlags
	cmd := &cobra.Command{
		Use:   "reset",
		Short: "Forget what a caller has used in a layer",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(cmd, true); err != nil {
				return err
			}
			return f.reset(cmd)
		},
	}
	f.add(cmd, true)
	return cmd
}

func (f *keysFlags) reset(cmd *cobra.Command) error {
	var done struct{ Keys int }
	body := map[string]string{"layer": f.layer, "key": f.key}
	text, err := f.port.ask(cmd, http.MethodPost, "/v1/reset", url.Values{}, body, &done)
	if err != nil {
		return err
	}
	if f.port.json {
		return printJSON(cmd.OutOrStdout(), text)
	}
	limits := "limits"
	if done.Keys == 1 {
		limits = "limit"
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "The caller is as new under %d %s of %s.\n", done.Keys, limits, f.layer)
	return err
}
