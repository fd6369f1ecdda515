package demo

import (
	"fmt"
	"os"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/weirhq/weir/internal/browsertest"
)

// The demo has something for every part of the dashboard. The pictures in the
// documentation are of it.
func TestPage(t *testing.T) {
	d := start(t)
	page := browsertest.Open(t, "http://"+d.admin)
	page.WaitFor(`document.querySelector("#token") !== null`)
	page.Do(chromedp.SendKeys(chromedp.CSS("#token input"), token), chromedp.Click(chromedp.CSS("#token button")))
	for _, limit := range []string{"edge default", "endpoint /search", "gateway default", "trial default"} {
		page.WaitFor(fmt.Sprintf(`[...document.querySelectorAll("table button")].some(e => e.textContent === %q)`, limit))
	}
	for _, rate := range []string{"allowed", "refused", "shadow"} {
		page.WaitFor(fmt.Sprintf(`Number(document.getElementById(%q).textContent) > 0`, rate))
	}
	page.WaitFor(`document.querySelectorAll("#refusals li").length > 20`)
	if os.Getenv("WEIR_SCREENSHOTS") != "" {
		pictures(page)
	}
	page.Clean()
}

// pictures waits until there is something to see.
func pictures(page *browsertest.Page) {
	for range seconds {
		browsertest.Eval[bool](page, `(() => { window.seen = document.querySelector("#point").textContent; return true })()`)
		page.WaitFor(`document.querySelector("#point").textContent !== window.seen`)
	}
	choose(page, `[...document.querySelectorAll("table button")].find(e => e.textContent === "edge default")`)
	page.WaitFor(`document.querySelector("#crowd")?.textContent.includes("edge default")`)
	choose(page, `document.querySelector("#hold")`)
	choose(page, `document.querySelector("#refusals button")`)
	page.WaitFor(`document.querySelector("#explained .card") !== null`)
	fromTop(page, 1280, 1600, "dashboard.png")
	page.Dark(true)
	fromTop(page, 1280, 960, "dashboard-dark.png")
	page.Dark(false)
	fromTop(page, 360, 1400, "dashboard-phone.png")
}

const seconds = 90 // of traffic in a picture

func fromTop(page *browsertest.Page, width, height int64, name string) {
	page.Resize(width, height)
	browsertest.Eval[bool](page, "(() => { scrollTo(0, 0); return true })()")
	page.WaitFor("scrollY === 0")
	page.Screenshot(name)
}

func choose(page *browsertest.Page, element string) {
	browsertest.Eval[bool](page, "(() => { "+element+".click(); return true })()")
}
