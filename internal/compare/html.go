package compare

import (
	"crypto/sha256"
	_ "embed" // the page's parts
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"time"
)

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageStyle string

	pageTemplate = template.Must(template.New("page").Parse(pageHTML))
)

// The drawing's own units, which the page stretches to its width.
const (
	chartWidth  = 10 * bins
	chartHeight = 100
)

// WriteHTML writes the report as one page that needs nothing else: no script, and
// its style in it.
func (r *Report) WriteHTML(w io.Writer) error {
	return pageTemplate.Execute(w, r.page())
}

type page struct {
	Policy           string
	Style            template.CSS
	Traffic, Limit   string
	Requests         int
	Period, From, To string
	Width, Height    int
	Boundaries       []int
	Charts           []chart
}

// chart is one algorithm's.
type chart struct {
	Name, Sentence, Above string
	Admitted, Refused     int
	Most                  string
	Gap                   string
	KeyBytes              int
	Bars                  []bar
}

type bar struct {
	Class, Title string
	X, Y, W, H   float64
}

func (r *Report) page() page {
	p := page{
		Policy: "default-src 'none'; base-uri 'none'; form-action 'none'; style-src " + hashSource(pageStyle),
		Style:  template.CSS(pageStyle), Traffic: r.Traffic, Limit: r.Limit, Requests: r.Requests,
		Period: period(r.rate.Period), From: r.From.Format("15:04:05.000"), To: r.To.Format("15:04:05.000"),
		Width: chartWidth, Height: chartHeight, Boundaries: r.boundaries(),
	}
	for i := range r.Algorithms {
		p.Charts = append(p.Charts, r.chart(&r.Algorithms[i]))
	}
	return p
}

// hashSource allows an inline text, and no other, in a content security policy.
func hashSource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// boundaries are where windows of the clock begin, unless there are too many to
// tell apart.
func (r *Report) boundaries() (x []int) {
	span := r.To.Sub(r.From)
	if span/r.rate.Period > bins/2 {
		return nil
	}
	for at := r.From.Truncate(r.rate.Period); at.Before(r.To); at = at.Add(r.rate.Period) {
		if at.After(r.From) {
			x = append(x, int(float64(at.Sub(r.From))/float64(span)*chartWidth))
		}
	}
	return x
}

func (r *Report) chart(o *Outcomes) chart {
	c := chart{
		Name: o.Name, Admitted: o.Admitted, Refused: o.Refused, Most: r.most(o.Most), Gap: "-", KeyBytes: o.KeyBytes,
		Sentence: fmt.Sprintf("%d admitted, %d refused.", o.Admitted, o.Refused),
	}
	if o.Gap >= 0 {
		c.Gap = o.Gap.Round(time.Microsecond).String()
	}
	if int64(o.Most) > r.rate.Count {
		c.Above = fmt.Sprintf("%d within one %s, where %s is the limit.", o.Most, period(r.rate.Period), r.Limit)
	}
	unit := chartHeight / float64(max(1, r.tallest()))
	for i, b := range o.Bins {
		from := r.From.Add(time.Duration(float64(i) * r.BinSeconds * float64(time.Second))).Format("15:04:05.000")
		x, top := 10*float64(i)+1, chartHeight-unit*float64(b.Admitted)
		if b.Admitted > 0 {
			c.Bars = append(c.Bars, bar{"admitted", fmt.Sprintf("%d admitted from %s", b.Admitted, from), x, top, 8, unit * float64(b.Admitted)})
		}
		if b.Refused > 0 {
			c.Bars = append(c.Bars, bar{"refused", fmt.Sprintf("%d refused from %s", b.Refused, from), x, top - unit*float64(b.Refused), 8, unit * float64(b.Refused)})
		}
	}
	return c
}
