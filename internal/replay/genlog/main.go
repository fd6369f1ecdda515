// Command genlog writes an access log in the combined format, the same for the
// same number of lines: genlog 5000000 > access.log
//
// Callers are drawn by Zipf's law from 100,000 addresses, so that a few send much
// and most send little. There are 250 requests a second.
package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"time"
)

const (
	callers   = 100_000
	perSecond = 250
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "genlog:", err)
		os.Exit(2)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: genlog LINES")
	}
	lines, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	random := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(random, 1.1, 8, callers-1)
	start := time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC)
	routes := []string{"/", "/search?q=weir", "/items/1138", "/items?page=2", "/export", "/login", "/static/app.css", "/api/v1/orders/77"}
	stamp := ""
	for i := range lines {
		if i%perSecond == 0 {
			stamp = start.Add(time.Duration(i/perSecond) * time.Second).Format("02/Jan/2006:15:04:05 -0700")
		}
		caller := zipf.Uint64()
		fmt.Fprintf(out, "10.%d.%d.%d - - [%s] \"GET %s HTTP/1.1\" 200 %d \"https://example.com/\" \"Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101\"\n",
			caller>>16, caller>>8&255, caller&255, stamp, routes[random.IntN(len(routes))], random.IntN(50_000))
	}
	return out.Flush()
}
