// Command weir is the rate limiter as a daemon and a set of tools; see the
// README, and weir --help.
package main

import (
	"context"
	"os"
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
