package daemon

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// printBanner says where weir listens and what to try.
func printBanner(w io.Writer, listeners []*listener, l *loaded, store string, o *Options) {
	fmt.Fprintf(w, "weir decides by %s, states in %s.\n", describe(l), store)
	if o.Proxy != nil {
		fmt.Fprintf(w, "What it admits goes to %s.\n", o.Proxy.Upstream)
	}
	for _, listener := range listeners {
		base := schemeOf(listener.name, o.TLS.scheme()) + "://" + listener.Addr().String()
		if listener.name == "grpc" {
			base = listener.Addr().String() // as gRPC's clients take it
		}
		fmt.Fprintf(w, "\n%s: %s\n", titles[listener.name], base)
		for _, command := range try(listener.name, l, o) {
			fmt.Fprintf(w, "  %s\n", strings.ReplaceAll(command, "BASE", base))
		}
	}
	fmt.Fprintln(w, "\nCtrl-C or SIGTERM stops it, SIGHUP reloads the configuration.")
}

var titles = map[string]string{"http": "Traffic", "grpc": "gRPC", "resp": "RESP", "admin": "Admin"}

func schemeOf(listener, scheme string) string {
	if listener == "resp" {
		return strings.Replace(scheme, "http", "redis", 1)
	}
	return scheme
}

func describe(l *loaded) string {
	layers := l.policy.Layers()
	noun := "layers"
	if len(layers) == 1 {
		noun = "layer"
	}
	text := fmt.Sprintf("the %s %s", noun, strings.Join(layers, ", "))
	if l.file == "" {
		return text + " of the default configuration"
	}
	return text + " of " + l.file
}

// try are commands that show what a listener is for.
func try(listener string, l *loaded, o *Options) []string {
	switch {
	case listener == "admin":
		return []string{"# BASE/ in a browser is the dashboard", "curl -s BASE/readyz", "curl -s BASE/metrics | grep ^weir_"}
	case listener == "resp":
		return []string{"redis-cli -u BASE CL.THROTTLE user:42 15 30 60"}
	case listener == "grpc" && o.TLS.scheme() == "https":
		return []string{"grpcurl BASE list"}
	case listener == "grpc":
		return []string{"grpcurl -plaintext BASE list"}
	case o.Proxy != nil:
		return []string{"curl -i BASE/"}
	}
	commands := []string{
		"curl -i BASE/check",
		`curl -s BASE/v1/take -d '{"key": "user:42", "limit": "3/min"}'`,
	}
	if l.file == "" && slices.Contains(l.policy.Layers(), "endpoint") {
		commands = append(commands,
			`for i in $(seq 11); do curl -s -o /dev/null -w '%{http_code} ' BASE/check/search; done; echo`)
	}
	return commands
}
