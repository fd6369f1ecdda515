package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// adminPort asks the admin port of a running daemon.
type adminPort struct {
	address string // as --admin has it
	json    bool
	full    bool
	tls     adminTLS
}

const adminTimeout = 10 * time.Second

// flags are those that every command has which asks.
func (p *adminPort) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.address, "admin", "http://127.0.0.1:9090", "the admin port of a running weir, `URL` or HOST:PORT [WEIR_ADMIN]")
	cmd.Flags().BoolVar(&p.json, "json", false, "print JSON")
	p.tls.flags(cmd)
	cmd.SetUsageTemplate(cmd.UsageTemplate() + `
Environment:
  WEIR_ADMIN_TOKEN   the admin token, where the daemon asks for one
`)
}

func (p *adminPort) fullFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&p.full, "full", false, "show keys in full; needs the admin token")
}

// ask makes a request and reads the answer. What the daemon refuses as wrong use
// is an error of that kind; what is not there, and a daemon that does not answer,
// is a noError.
func (p *adminPort) ask(cmd *cobra.Command, method, path string, query url.Values, body any, into any) ([]byte, error) {
	base, err := p.base(cmd)
	if err != nil {
		return nil, err
	}
	if p.full {
		query.Set("full", "1")
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	in, err := http.NewRequestWithContext(cmd.Context(), method, base+path+"?"+query.Encode(), bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	in.Header.Set("Content-Type", "application/json")
	if token := secret("WEIR_ADMIN_TOKEN"); token != "" {
		in.Header.Set("Authorization", "Bearer "+token)
	}
	transport, err := p.tls.transport()
	if err != nil {
		return nil, err
	}
	client := http.Client{Timeout: adminTimeout, Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(in)
	if err != nil {
		return nil, &noError{fmt.Errorf("%s does not answer: %w", base, innermost(err))}
	}
	defer answer.Body.Close()
	return readAnswer(base, answer, into)
}

const maxAnswer = 16 << 20 // bytes

func readAnswer(base string, answer *http.Response, into any) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return nil, &noError{fmt.Errorf("%s broke off: %w", base, err)}
	}
	if answer.StatusCode == http.StatusOK {
		if err := json.Unmarshal(text, into); err != nil {
			return nil, fmt.Errorf("%s is not the admin port of weir", base)
		}
		return text, nil
	}
	var problem struct{ Detail string }
	if json.Unmarshal(text, &problem) != nil || problem.Detail == "" {
		return nil, fmt.Errorf("%s is not the admin port of weir: it answers %s", base, answer.Status)
	}
	err = errors.New(problem.Detail)
	switch {
	case answer.StatusCode == http.StatusUnauthorized:
		return nil, errors.New("this needs the admin token: set WEIR_ADMIN_TOKEN to that of the daemon")
	case answer.StatusCode == http.StatusNotFound, answer.StatusCode >= 500:
		return nil, &noError{err}
	}
	return nil, err
}

// base is the URL without what follows the port.
func (p *adminPort) base(cmd *cobra.Command) (string, error) {
	address := p.address
	if set := os.Getenv("WEIR_ADMIN"); set != "" && !cmd.Flags().Changed("admin") {
		address = set
	}
	if strings.HasPrefix(address, ":") {
		address = "127.0.0.1" + address
	}
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || strings.Trim(u.Path, "/") != "" || u.User != nil {
		return "", errors.New("--admin is not the URL of an admin port: write http://127.0.0.1:9090")
	}
	return u.Scheme + "://" + u.Host, nil
}

// innermost is what is behind "Get http://127.0.0.1:9090: dial tcp".
func innermost(err error) error {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err
}

// printJSON prints an answer as it came, indented.
func printJSON(w io.Writer, text []byte) error {
	var out bytes.Buffer
	if err := json.Indent(&out, bytes.TrimSpace(text), "", "  "); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, out.String())
	return err
}
