package daemon

import (
	"fmt"
	"io"
)

// printBanner says where weir listens and what to try.
func printBanner(w io.Writer, addresses map[string]string, l *loaded, store string) {
	if store == "" {
		store = "memory:"
	}
	source := l.file
	if source == "" {
		source = "the default three layers (edge, gateway, endpoint)"
	}
	fmt.Fprintf(w, "weir is deciding by %s, on %s\n", source, store)
	if traffic, on := addresses["http"]; on {
		fmt.Fprintf(w, `
  http://%s      traffic
Try:
  curl -i http://%[1]s/check
  for i in $(seq 11); do curl -s -o /dev/null -w '%%{http_code} ' http://%[1]s/check/search; done; echo
  curl -s http://%[1]s/v1/take -d '{"key": "user:42", "limit": "3/min"}'
`, traffic)
	}
	if admin, on := addresses["admin"]; on {
		fmt.Fprintf(w, `
  http://%s      admin
  curl -s http://%[1]s/readyz
  curl -s http://%[1]s/metrics | grep ^weir_
`, admin)
	}
	fmt.Fprintln(w)
}
