package browsertest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/weirhq/weir/internal/browsertest"
)

func serve(t *testing.T, body string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!doctype html><link rel="icon" href="data:,">%s`, body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestPageIsDriven(t *testing.T) {
	page := browsertest.Open(t, serve(t, `<p id="a">one</p><script>document.querySelector("#a").onclick = e => e.target.textContent = "two"</script>`))
	if got := page.Text("#a"); got != "one" {
		t.Errorf("it shows %q", got)
	}
	page.Do(chromedp.Click(chromedp.CSS("#a")))
	page.WaitFor(`document.querySelector("#a").textContent === "two"`)
	page.Clean()
}

// failures takes the place of a test that fails.
type failures struct {
	testing.TB
	text strings.Builder
}

func (f *failures) Helper()                           {}
func (f *failures) Errorf(format string, args ...any) { fmt.Fprintf(&f.text, format+"\n", args...) }

func TestFaultsAreSeen(t *testing.T) {
	elsewhere := serve(t, "")
	f := &failures{TB: t}
	page := browsertest.Open(f, serve(t, `<img src="`+elsewhere+`/other.png"><script>console.error("said"); setTimeout(() => { window.done = true; throw Error("thrown") })</script>`))
	page.WaitFor("window.done")
	page.Clean()
	for _, want := range []string{"said", "thrown", "the page asked " + elsewhere} {
		if !strings.Contains(f.text.String(), want) {
			t.Errorf("%q is not in %s", want, f.text.String())
		}
	}
}
