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
	choose(page, `[...document.querySelectorAll("#refusals button")].find(e => !e.querySelector(".shadow"))`)
	page.WaitFor(`document.querySelector("#explained .card") !== null`)
	page.Resize(1280, 1560)
	show(page, "document.body")
	page.Screenshot("dashboard.png")
	page.Dark(true)
	page.Resize(1280, 900)
	show(page, `document.querySelector("#explain-title")`)
	page.Screenshot("why.png")
}

const seconds = 62 // of traffic in a picture

// show scrolls an element to the top.
func show(page *browsertest.Page, element string) {
	browsertest.Eval[bool](page, "(() => { "+element+".scrollIntoView(); return true })()")
}

func choose(page *browsertest.Page, element string) {
	browsertest.Eval[bool](page, "(() => { "+element+".click(); return true })()")
}
