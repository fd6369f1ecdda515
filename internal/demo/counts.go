package demo

import (
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"text/tabwriter"
)

// layers are those of the policy, in its order.
var layers = []string{"trial", "edge", "gateway", "endpoint"}

// counts are what the metrics say so far.
type counts struct {
	requests map[string]int       // by outcome
	checks   map[layerOutcome]int // of all limits of a layer
}

type layerOutcome struct{ layer, outcome string }

var (
	requestsLine = regexp.MustCompile(`(?m)^weir_requests_total\{outcome="([^"]*)"\} (\S+)$`)
	checksLine   = regexp.MustCompile(`(?m)^weir_checks_total\{layer="([^"]*)",limit="[^"]*",outcome="([^"]*)"\} (\S+)$`)
)

func parseCounts(metrics string) counts {
	c := counts{map[string]int{}, map[layerOutcome]int{}}
	for _, m := range requestsLine.FindAllStringSubmatch(metrics, -1) {
		c.requests[m[1]] += number(m[2])
	}
	for _, m := range checksLine.FindAllStringSubmatch(metrics, -1) {
		c.checks[layerOutcome{m[1], m[2]}] += number(m[3])
	}
	return c
}

// number reads what Prometheus writes, which has an exponent where it is large.
func number(text string) int {
	n, _ := strconv.ParseFloat(text, 64)
	return int(n)
}

// since says what has happened since before.
func (c *counts) since(before *counts) string {
	refused := c.requests["refused"] - before.requests["refused"]
	var by []string
	for _, layer := range layers {
		if n := c.change(before, layer, "refused"); n > 0 {
			by = append(by, fmt.Sprintf("%s %d", layer, n))
		}
	}
	text := fmt.Sprintf("%d admitted, %d refused", c.requests["allowed"]-before.requests["allowed"], refused)
	if len(by) > 0 {
		text += " (" + strings.Join(by, ", ") + ")"
	}
	return fmt.Sprintf("%s; the layer in shadow would refuse %d", text, c.change(before, "trial", "shadow_refused"))
}

func (c *counts) change(before *counts, layer, outcome string) int {
	at := layerOutcome{layer, outcome}
	return c.checks[at] - before.checks[at]
}

// table says what all of it came to.
func (c *counts) table(w io.Writer) {
	fmt.Fprintf(w, "\n%d requests were admitted and %d refused. What the layers said, by the metrics:\n", c.requests["allowed"], c.requests["refused"])
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tadmitted\trefused\t")
	for _, layer := range layers {
		prefix, note := "", ""
		if layer == "trial" {
			prefix, note = "shadow_", "  in shadow"
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%s\n", layer, c.checks[layerOutcome{layer, prefix + "allowed"}], c.checks[layerOutcome{layer, prefix + "refused"}], note)
	}
	t.Flush()
}
