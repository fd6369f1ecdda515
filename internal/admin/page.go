package admin

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/weirhq/weir/httplimit"
)

//go:embed page
var pageFiles embed.FS

// pagePolicy lets the page use what this port serves, and nothing else.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// page is the dashboard: its files by their path, each compressed once.
type page map[string]asset

type asset struct {
	kind, etag        string
	plain, compressed []byte
}

// newPage makes the page. Nothing in it is secret: it asks for what it shows, with
// the token where one is needed.
func newPage(needsToken bool) page {
	p := page{}
	err := fs.WalkDir(pageFiles, "page", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := pageFiles.ReadFile(name)
		p["/"+name] = newAsset(path.Ext(name), text)
		return err
	})
	if err != nil {
		panic("admin: the page in the binary cannot be read: " + err.Error())
	}
	token := "none"
	if needsToken {
		token = "needed"
	}
	p["/"] = newAsset(".html", bytes.Replace(p["/page/page.html"].plain, []byte("{{token}}"), []byte(token), 1))
	delete(p, "/page/page.html")
	return p
}

// kinds are told here, since machines' lists differ.
var kinds = map[string]string{".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".mjs": "text/javascript"}

func newAsset(extension string, text []byte) asset {
	kind := kinds[extension]
	if kind == "" { // a licence
		kind = "text/plain"
	}
	sum := sha256.Sum256(text)
	return asset{kind + "; charset=utf-8", `W/"` + hex.EncodeToString(sum[:8]) + `"`, text, compressed(text)}
}

func compressed(text []byte) []byte {
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // the level is one that there is
	w.Write(text)                                           // into memory
	w.Close()
	return out.Bytes()
}

func (p page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a, ok := p[r.URL.Path]
	if !ok {
		httplimit.NewProblem(http.StatusNotFound, "The page has no such file.").Write(w)
		return
	}
	h := w.Header()
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-cache") // a newer weir may have another
	h.Set("Vary", "Accept-Encoding")
	h.Set("ETag", a.etag)
	if strings.Contains(r.Header.Get("If-None-Match"), a.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := a.plain
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		body = a.compressed
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Type", a.kind)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.Write(body)
}
