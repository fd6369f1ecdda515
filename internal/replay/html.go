package replay

import (
	"crypto/sha256"
	_ "embed" // the page's parts
	"encoding/base64"
	"encoding/json"
	"io"
	"strings"
)

var (
	//go:embed page/page.html
	pageHTML string
	//go:embed page/page.css
	pageStyle string
	//go:embed page/page.js
	pageScript string
)

// WriteHTML writes the report as one page that asks nobody for anything: its
// script and style are in it, and its content security policy lets no other run.
func (r *Report) WriteHTML(w io.Writer) error {
	// encoding/json escapes what would end the element.
	data, err := json.Marshal(r.page())
	if err != nil {
		return err
	}
	_, err = strings.NewReplacer(
		"{{policy}}", "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; style-src "+hashSource(pageStyle)+"; script-src "+hashSource(pageScript),
		"{{style}}", pageStyle,
		"{{data}}", string(data),
		"{{script}}", pageScript,
	).WriteString(w, pageHTML)
	return err
}

// hashSource allows an inline text, and no other, in a content security policy.
func hashSource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// page is what the script draws.
type page struct {
	Report *Report     `json:"report"`
	Limits []pageLimit `json:"limits"` // side by side with the report's layers
	Chart  pageChart   `json:"chart"`
}

type pageLimit struct {
	Layer           string       `json:"layer"`
	Label           string       `json:"label"`
	Period          string       `json:"period"` // what follows a count, such as "/min"
	Count           int64        `json:"count"`
	Requests        int64        `json:"requests"`
	Callers         int64        `json:"callers"`
	Ladder          []Step       `json:"ladder"`
	Suggest         Shares       `json:"suggest"`
	SuggestRequests Shares       `json:"suggest_requests"`
	Heaviest        []pageCaller `json:"heaviest"`
}

type pageCaller struct {
	Caller   string  `json:"caller"`
	Requests int64   `json:"requests"`
	Need     *int64  `json:"need"`    // null where no count admits all
	Refused  []int64 `json:"refused"` // at the first steps of the ladder
}

type pageChart struct {
	Start    int64   `json:"start"` // s since the Unix epoch
	Width    int64   `json:"width"` // s
	Requests []int64 `json:"requests"`
	Refused  []int64 `json:"refused"`
}

func (r *Report) page() page {
	p := page{Report: r, Limits: []pageLimit{}, Chart: pageChart{r.chart.start, r.chart.width, r.chart.all, r.chart.refused}}
	if p.Chart.Requests == nil {
		p.Chart.Requests, p.Chart.Refused = []int64{}, []int64{}
	}
	for i := range r.Layers {
		l := &r.Layers[i]
		one := pageLimit{
			Layer: l.Layer, Label: l.label(), Period: l.period(), Count: l.count, Requests: l.Requests, Callers: l.Callers,
			Ladder: l.Ladder, Suggest: l.Suggest, SuggestRequests: l.SuggestRequests, Heaviest: []pageCaller{},
		}
		for _, c := range l.heaviest {
			if len(c.refused) > 0 {
				one.Heaviest = append(one.Heaviest, c.page())
			}
		}
		p.Limits = append(p.Limits, one)
	}
	return p
}

func (c *heavyCaller) page() pageCaller {
	p := pageCaller{Caller: c.name, Requests: c.requests, Refused: c.refused}
	if c.need != noCount {
		p.Need = &c.need
	}
	return p
}
