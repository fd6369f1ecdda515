package admin

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/weirhq/weir/internal/trail"
)

// maxPage is what a browser fetches for the page, compressed, in bytes.
const maxPage = 48_000

func pageOf(o Options, path string, header ...string) *http.Response {
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "http://localhost:9090"+path, nil)
	for i := 0; i < len(header); i += 2 {
		if r.Header.Set(header[i], header[i+1]); header[i] == "Host" {
			r.Host = header[i+1]
		}
	}
	New(&engine{}, trail.New(), NewMetrics(), o).ServeHTTP(w, r)
	return w.Result()
}

func TestPageIsSmall(t *testing.T) {
	sum := 0
	for path, a := range newPage(false) {
		if !strings.Contains(path, "LICENSE") {
			sum += len(a.compressed)
		}
	}
	t.Logf("%d bytes", sum)
	if sum > maxPage {
		t.Errorf("the page has %d bytes, compressed; %d are the most", sum, maxPage)
	}
}

// The page and its files are allowed what the port serves, and nothing else.
func TestPageIsStrict(t *testing.T) {
	err := fs.WalkDir(pageFiles, "page", func(name string, entry fs.DirEntry, err error) error {
		path := "/" + name
		if entry.IsDir() {
			return err
		}
		if name == "page/page.html" {
			path = "/"
		}
		h := pageOf(Options{}, path).Header
		want := "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
		if got := h.Get("Content-Security-Policy"); got != want {
			t.Errorf("%s: %s", path, got)
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(h.Get("Content-Type"), "charset=utf-8") {
			t.Errorf("%s: %v", path, h)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Who may have the page, and what of it.
func TestPageAnswers(t *testing.T) {
	token := Options{Token: "hunter2hunter2"}
	etag := pageOf(Options{}, "/page/app.js").Header.Get("ETag")
	for _, c := range []struct {
		name     string
		options  Options
		path     string
		header   []string
		status   int
		encoding string
	}{
		{"plain", Options{}, "/", nil, 200, ""},
		{"compressed", Options{}, "/", []string{"Accept-Encoding", "br, gzip"}, 200, "gzip"},
		{"a file", Options{}, "/page/app.js", nil, 200, ""},
		{"known already", Options{}, "/page/app.js", []string{"If-None-Match", etag}, 304, ""},
		{"known in another form", Options{}, "/page/app.js", []string{"If-None-Match", `W/"0123"`}, 200, ""},
		{"no such file", Options{}, "/page/none.js", nil, 404, ""},
		{"the folder", Options{}, "/page/", nil, 404, ""},
		{"the page's text with its marker", Options{}, "/page/page.html", nil, 404, ""},
		{"another name, without a token", Options{}, "/", []string{"Host", "evil.example"}, 403, ""},
		{"another name, with a token", token, "/", []string{"Host", "weir.example"}, 200, ""},
		{"what it asks for needs the token", token, "/v1/config", nil, 401, ""},
		{"without a certificate", Options{ClientCert: true, Token: "t"}, "/", nil, 403, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := pageOf(c.options, c.path, c.header...)
			if got := a.Header.Get("Content-Encoding"); a.StatusCode != c.status || got != c.encoding {
				t.Errorf("status %d, encoding %q", a.StatusCode, got)
			}
		})
	}
}

// The page knows beforehand whether it needs the token.
func TestPageKnowsOfTheToken(t *testing.T) {
	for needs, want := range map[bool]string{false: `data-token="none"`, true: `data-token="needed"`} {
		if text := string(newPage(needs)["/"].plain); !strings.Contains(text, want) || strings.Contains(text, "{{") {
			t.Errorf("%v: %.200s", needs, text)
		}
	}
}
