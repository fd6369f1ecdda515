package replay

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weirhq/weir"
)

// Auto is the format that looks at the log.
const Auto = "auto"

// parse reads one line into an entry that is zero.
type parse func(line string, e *entry) verdict

// verdict is what a line turned out to be.
type verdict uint8

const (
	broken verdict = iota
	record
	remark // a directive, or a message that is no request
)

// format is one way to write a log.
type format struct {
	name string
	make func() parse // a parser for one file
	is   func(line string) bool
}

// formats in the order in which they are tried. A line that two can read is told
// apart by is.
var formats = []format{
	{name: "caddy", make: stateless(parseJSON), is: func(line string) bool { return strings.Contains(line, `"request":{`) }},
	{name: "json", make: stateless(parseJSON)},
	{name: "combined", make: newCommon, is: func(line string) bool { return strings.Count(line, `"`) >= 4 }},
	{name: "common", make: newCommon},
	{name: "haproxy", make: stateless(parseHAProxy)},
	{name: "envoy", make: stateless(parseEnvoy)},
	{name: "alb", make: stateless(parseALB)},
	{name: "cloudfront", make: newCloudFront, is: func(line string) bool { return strings.Count(line, "\t") > 5 }},
	{name: "w3c", make: newW3C},
}

func stateless(p parse) func() parse { return func() parse { return p } }

// Formats are the names of the formats, [Auto] first.
func Formats() []string {
	return []string{Auto, "combined", "common", "json", "caddy", "haproxy", "envoy", "alb", "cloudfront", "w3c"}
}

// formatOf is a format by its name; nil with nil is [Auto].
func formatOf(name string) (*format, error) {
	if name == "" || name == Auto {
		return nil, nil
	}
	if i := slices.IndexFunc(formats, func(f format) bool { return f.name == name }); i >= 0 {
		return &formats[i], nil
	}
	if near := weir.Nearest(name, Formats()); near != "" {
		return nil, fmt.Errorf("replay: there is no format %q: did you mean %s?", name, near)
	}
	return nil, fmt.Errorf("replay: there is no format %q: it is one of %s", name, strings.Join(Formats(), ", "))
}

// detect is the format that reads the most records; nil where none reads any.
func detect(lines []string) *format {
	var best *format
	most := 0
	for i := range formats {
		if n := formats[i].reads(lines); n > most {
			best, most = &formats[i], n
		}
	}
	return best
}

// reads is how many records of the format the lines hold, broken ones too.
func (f *format) reads(lines []string) (n int) {
	j := joiner{parse: f.make(), tally: &fileTally{}, entry: new(entry)}
	j.emit = func(text string) {
		if f.is == nil || f.is(text) {
			n++
		}
	}
	for i, line := range lines {
		j.line(int64(i+1), line)
	}
	return n
}
