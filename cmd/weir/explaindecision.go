package main

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/weirhq/weir"
)

// decision is what the admin port says of one, as far as it is printed.
type decision struct {
	ID       string
	At       int64 `json:"at_ms"`
	Why      string
	Degraded bool
	Request  struct{ IP, Method, Host, Path string }
	Checks   []decisionCheck
	Changes  []string
}

type decisionCheck struct {
	Layer, Limit, Rule, Key, Why string
	Allowed, Shadow              bool
	Algorithms                   []struct {
		Algorithm  string
		Decided    bool
		Allowed    bool
		RetryAfter int64 `json:"retry_after_ms"`
	}
}

// explainDecision asks a running daemon about a decision that it made.
func explainDecision(cmd *cobra.Command, p *adminPort, id string) error {
	if _, err := weir.ParseID(id); err != nil {
		return fmt.Errorf("%q is not a decision's id: it has 16 hexadecimal digits, as in Weir-Decision", id)
	}
	var d decision
	text, err := p.ask(cmd, http.MethodGet, "/v1/decisions/"+id, url.Values{}, nil, &d)
	if err != nil {
		return err
	}
	if p.json {
		return printJSON(cmd.OutOrStdout(), text)
	}
	d.write(cmd.OutOrStdout())
	return nil
}

func (d *decision) write(w io.Writer) {
	fmt.Fprintln(w, d.Why)
	fmt.Fprintf(w, "decision %s at %s\n", d.ID, time.UnixMilli(d.At).UTC().Format("2006-01-02 15:04:05.000 UTC"))
	if r := d.Request; r.Method != "" || r.IP != "" {
		fmt.Fprintf(w, "request %s %s%s from %s\n", r.Method, r.Host, r.Path, r.IP)
	}
	for i := range d.Checks {
		d.Checks[i].write(w)
	}
	if len(d.Changes) > 0 {
		fmt.Fprintln(w, "\nWhat would change it")
	}
	for _, one := range d.Changes {
		fmt.Fprintln(w, "  "+one)
	}
}

func (c *decisionCheck) write(w io.Writer) {
	fmt.Fprintf(w, "\n%s/%s: %s, by %s: %s\n  %s\n", c.Layer, c.Limit, verdict(c.Allowed, c.Shadow), c.Key, c.Rule, c.Why)
	if len(c.Algorithms) > 0 {
		fmt.Fprintln(w, "  For the same usage:")
	}
	for _, a := range c.Algorithms {
		text := verdict(a.Allowed, false)
		if !a.Allowed {
			text += ", " + wait(a.RetryAfter)
		}
		mark := ""
		if a.Decided {
			mark = " (this one decided)"
		}
		fmt.Fprintf(w, "    %-16s %s%s\n", a.Algorithm, text, mark)
	}
}

func verdict(allowed, shadow bool) string {
	words := []string{"refused"}
	if allowed {
		words[0] = "allowed"
	}
	if shadow {
		words = append(words, "in shadow")
	}
	return strings.Join(words, " ")
}

// wait words a wait in ms, -1 for never.
func wait(ms int64) string {
	if ms < 0 {
		return "no wait helps"
	}
	return "passes in " + (time.Duration(ms) * time.Millisecond).String()
}
