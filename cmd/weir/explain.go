package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weirhq/weir/policy"
)

func newExplain() *cobra.Command {
	var e explainFlags
	cmd := &cobra.Command{
		Use:   "explain [DECISION_ID]",
		Short: "Say why a decision came out as it did, or which limits a request meets",
		Long: `With a DECISION_ID: ask a running weir why that decision came out as it did. The id
is in Weir-Decision, and in every refusal's body.

With --request: say which layers of a configuration a request meets, with which keys
and limits, and why it does not meet the others. Nothing is asked of a store and
nothing is charged. Without --config it is the default policy.`,
		Example: `  weir explain 4348fdb6c04280fb
  weir explain --admin http://127.0.0.1:9090 4348fdb6c04280fb --json
  weir explain --request 'GET /search' --ip 203.0.113.7
  weir explain --config weir.yaml --request 'POST /export' --ip 203.0.113.7 --header 'X-API-Key: k1' --json`,
		RunE: func(cmd *cobra.Command, ids []string) error {
			switch {
			case len(ids) > 1:
				return errors.New("explain takes one DECISION_ID")
			case len(ids) == 1 && (e.request != "" || e.config != ""):
				return errors.New("explain takes a DECISION_ID or --request, not both")
			case len(ids) == 1:
				return explainDecision(cmd, &e.port, ids[0])
			}
			return e.run(cmd)
		},
	}
	e.port.flags(cmd)
	e.port.fullFlag(cmd)
	flags := cmd.Flags()
	flags.StringVar(&e.config, "config", "", "configuration `FILE`; without one, the default three layers")
	flags.StringVar(&e.request, "request", "", "method and path, `'METHOD /PATH'`")
	flags.StringVar(&e.ip, "ip", "", "the client's `ADDRESS`")
	flags.StringVar(&e.host, "host", "", "the `HOST` asked")
	flags.StringArrayVar(&e.headers, "header", nil, "a header, `'NAME: VALUE'`; may be given again")
	flags.BoolVar(&e.trusted, "trusted", false, "the direct peer is a trusted proxy: headers that name a cost or a plan are believed")
	return cmd
}

type explainFlags struct {
	config, request, ip, host string
	headers                   []string
	trusted                   bool
	port                      adminPort
}

func (e *explainFlags) run(cmd *cobra.Command) error {
	a, err := e.attributes()
	if err != nil {
		return err
	}
	p := policy.Default()
	if e.config != "" {
		if p, err = compileFile(e.config); err != nil {
			return err
		}
	}
	explanation := p.Explain(a)
	if !e.port.json {
		_, err = fmt.Fprint(cmd.OutOrStdout(), explanation)
		return err
	}
	out := json.NewEncoder(cmd.OutOrStdout())
	out.SetIndent("", "  ")
	return out.Encode(explanation)
}

// attributes are those that a front would make of the request.
func (e *explainFlags) attributes() (*policy.Attributes, error) {
	if e.request == "" {
		return nil, errors.New("explain takes a DECISION_ID, or --request 'GET /search'")
	}
	method, target, found := strings.Cut(strings.TrimSpace(e.request), " ")
	if !found || !strings.HasPrefix(target, "/") {
		return nil, fmt.Errorf("--request %q is not METHOD /PATH: write 'GET /search'", e.request)
	}
	path, _, _ := strings.Cut(target, "?")
	a := &policy.Attributes{Method: method, Host: e.host, Path: path, Header: http.Header{}, Trusted: e.trusted, Cost: 1}
	if e.ip != "" {
		ip, err := netip.ParseAddr(e.ip)
		if err != nil {
			return nil, fmt.Errorf("--ip %q is not an address", e.ip)
		}
		a.IP = ip
	}
	for _, text := range e.headers {
		name, value, found := strings.Cut(text, ":")
		if !found || strings.TrimSpace(name) == "" {
			return nil, fmt.Errorf("--header %q is not NAME: VALUE", text)
		}
		a.Header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	return a, nil
}
