package forwardauth

import (
	"net/http"
	"slices"
	"strings"
)

// lookAlikes are headers with which proxies and frameworks name a client or a
// request. Which of them are believed is the profile's to say.
var lookAlikes = [...]string{
	"X-Real-Ip", "X-Forwarded-For", "Forwarded", "X-Client-Ip", "X-Cluster-Client-Ip", "X-Original-Forwarded-For",
	"Cf-Connecting-Ip", "True-Client-Ip", "Fastly-Client-Ip", "X-Envoy-External-Address",
	"X-Original-Method", "X-Forwarded-Method", "X-Http-Method-Override",
	"X-Original-Uri", "X-Forwarded-Uri", "X-Original-Url", "X-Rewrite-Url", "X-Envoy-Original-Path", "X-Forwarded-Prefix",
	"X-Original-Host", "X-Forwarded-Host", "X-Host", "X-Forwarded-Server",
}

// field is a header as a diagnosis shows it.
type field struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// believed are the profile's headers that are there, and the names of those that
// are not.
func (p *Profile) believed(header http.Header) (there []field, missing []string) {
	for _, name := range p.headers() {
		if lines, ok := header[name]; ok {
			there = append(there, field{name, shown(lines)})
		} else {
			missing = append(missing, name)
		}
	}
	return there, missing
}

// ignored are the headers that look like the profile's and are not.
func (p *Profile) ignored(header http.Header) (there []field) {
	mine := p.headers()
	for _, name := range lookAlikes {
		if lines, ok := header[name]; ok && !slices.Contains(mine, name) {
			there = append(there, field{name, shown(lines)})
		}
	}
	return there
}

// headers are the names of those that the profile believes.
func (p *Profile) headers() []string {
	all := []string{p.client.Name(), p.set.method, p.set.uri, p.set.host}
	return slices.DeleteFunc(all, func(name string) bool { return name == "" })
}

// maxShown bounds a value in a diagnosis, in bytes.
const maxShown = 512

// shown is a value without what may be a credential: a query, and what stands
// before the host of a URL.
func shown(lines []string) string {
	safe := make([]string, len(lines))
	for i, line := range lines {
		before, _, found := strings.Cut(line, "?")
		if scheme, after, isURL := strings.Cut(before, "://"); isURL {
			authority, path, _ := strings.Cut(after, "/")
			if at := strings.LastIndexByte(authority, '@'); at >= 0 {
				before = scheme + "://redacted" + authority[at:] + "/" + path
			}
		}
		if found {
			before += "?redacted"
		}
		safe[i] = before
	}
	text := strings.Join(safe, ", ")
	if len(text) > maxShown {
		text = text[:maxShown] + "..."
	}
	return text
}
