package replay

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/weirhq/weir/internal/browsertest"
)

const layered = `layers:
  - {name: edge, by: ip, limit: 60/min, algorithm: sliding-counter}
  - name: endpoint
    by: [client, route]
    routes: {/erddap/version: 5/min, /erddap/tabledap/: {limit: 20/min, algorithm: fixed-window}}`

// open shows the report's page, from a server and as a file.
func open(t *testing.T, r *Report) (served, file *browsertest.Page) {
	t.Helper()
	var page bytes.Buffer
	if err := r.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(page.Bytes())
	}))
	t.Cleanup(server.Close)
	name := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(name, page.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return browsertest.Open(t, server.URL), browsertest.Open(t, "file://"+name)
}

func value(p *browsertest.Page) string {
	return browsertest.Eval[string](p, `document.getElementById("value").textContent`)
}

// The slider says what the ladder says: who would be refused at another limit.
func TestPageSlider(t *testing.T) {
	served, opened := open(t, file(t, layered, "nginx_api_9days.log.gz"))
	for _, page := range []*browsertest.Page{served, opened} {
		if got := value(page); got != "60/min" {
			t.Errorf("the slider begins at %q", got)
		}
		first := page.Text("#verdict")
		// By the keyboard: one step down.
		page.Do(chromedp.Focus(chromedp.CSS("#count")), chromedp.KeyEvent(kb.ArrowLeft))
		page.WaitFor(`document.getElementById("value").textContent === "50/min"`)
		if got := page.Text("#verdict"); got == first || !strings.HasPrefix(got, "50/min refuses anything to 3 of 917 callers (0.3%), and ") {
			t.Errorf("at 50/min it says %q", got)
		}
		if got := page.Text("#who tbody"); !strings.Contains(got, "ip:198.18.0.2") {
			t.Errorf("refused are %q", got)
		}
		// To the top: nobody is left.
		page.Do(chromedp.KeyEvent(kb.End))
		page.WaitFor(`document.getElementById("more").textContent === "Nobody."`)
		// A suggestion, and another limit.
		page.Do(chromedp.Click(chromedp.CSS("#suggestions button:nth-child(4)")))
		page.WaitFor(`document.getElementById("value").textContent === "30/min"`)
		browsertest.Eval[bool](page, `(() => { const w = document.getElementById("which"); w.value = "2"; return w.dispatchEvent(new Event("change")) })()`)
		page.WaitFor(`document.getElementById("value").textContent === "5/min"`)
		page.Clean()
	}
}

// It fits a phone, and the dark.
func TestPageFits(t *testing.T) {
	page, _ := open(t, file(t, layered, "nginx_api_9days.log.gz"))
	for _, width := range []int64{360, 800, 1280} {
		page.Resize(width, 800)
		if wide := browsertest.Eval[int](page, "document.documentElement.scrollWidth"); int64(wide) > width {
			t.Errorf("at %d pixels it is %d wide", width, wide)
		}
	}
	ground := `getComputedStyle(document.body).backgroundColor`
	light := browsertest.Eval[string](page, ground)
	page.Dark(true)
	if dark := browsertest.Eval[string](page, ground); dark == light {
		t.Errorf("it is %s in the dark too", dark)
	}
	page.Dark(false)
	page.Resize(1000, 780)
	page.Screenshot("replay.png")
	page.Clean()
}

// What is in a log cannot become part of the page.
func TestPageShowsTextAsText(t *testing.T) {
	evil := `</script><script>window.evil=1</script><img src=x onerror=window.evil=2>{{data}}`
	log := strings.Repeat(line("203.0.113.7", 0, "/"+strings.ReplaceAll(evil, " ", "%20")), 3) + evil + "\n" + evil + "\n" + line(strings.ReplaceAll(evil, " ", ""), 1, "/")
	r := one(t, "layers: [{name: edge, by: ip, limit: 1/min}]", log)
	page, _ := open(t, r)
	if got := page.Text("#broken"); !strings.Contains(got, "</script><script>window.evil=1") {
		t.Errorf("broken lines are shown as %q", got)
	}
	if browsertest.Eval[bool](page, `"evil" in window`) {
		t.Error("a line of the log ran")
	}
	page.Clean()
}

// A log without a request makes a page too.
func TestEmptyPage(t *testing.T) {
	page, _ := open(t, one(t, "", ""))
	if got := page.Text("#span"); got != "0 requests from 0 callers" {
		t.Errorf("it says %q", got)
	}
	page.Clean()
}
