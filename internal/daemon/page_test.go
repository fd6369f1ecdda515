package daemon

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/weirhq/weir/internal/browsertest"
)

// watchedPolicy counts by the day, so that no window ends while a test runs.
const watchedPolicy = `
plans: {free: 50/day}
clients: {key: "header:X-API-Key", plan: {k1: free}, unknown: ip}
layers:
  - {name: edge, by: ip, limit: 20/day, algorithm: fixed-window}
  - {name: tried, by: ip, limit: 5/day, shadow: true}
  - {name: gateway, by: client, limit: plan}`

// openPage shows the dashboard of a daemon, once it is connected.
func openPage(t *testing.T, d *running) *browsertest.Page {
	t.Helper()
	page := browsertest.Open(t, d.admin)
	page.WaitFor(connected)
	return page
}

const connected = `document.querySelector("#connection")?.className === "live"`

// spend sends n requests for a path from an address.
func (r *running) spend(t *testing.T, n int, ip, path string) (last take) {
	t.Helper()
	body, _ := json.Marshal(map[string]any{"attributes": map[string]any{"ip": ip, "method": "GET", "path": path}})
	for range n {
		in, _ := http.NewRequest(http.MethodPost, r.http+"/v1/take", strings.NewReader(string(body)))
		status, text := do(t, in)
		if status != http.StatusOK {
			t.Fatalf("status %d: %s", status, text)
		}
		if err := json.Unmarshal([]byte(text), &last); err != nil {
			t.Fatal(err)
		}
	}
	return last
}

// quote is the text as JavaScript has it.
func quote(text string) string {
	quoted, _ := json.Marshal(text)
	return string(quoted)
}

// saying is true when an element shows the text.
func saying(selector, text string) string {
	return fmt.Sprintf(`document.querySelector(%s)?.textContent.includes(%s)`, quote(selector), quote(text))
}

// click clicks the first element that shows the text.
func click(p *browsertest.Page, selector, text string) {
	find := fmt.Sprintf(`[...document.querySelectorAll(%s)].find(e => e.textContent.includes(%s))`, quote(selector), quote(text))
	p.WaitFor(find + ` !== undefined`)
	browsertest.Eval[bool](p, `(() => { `+find+`.click(); return true })()`)
}

// fill types into an input.
func fill(p *browsertest.Page, selector, text string) {
	browsertest.Eval[bool](p, fmt.Sprintf(`(() => { document.querySelector(%s).value = %s; return true })()`, quote(selector), quote(text)))
}

// submit sends a form as its button does.
func submit(p *browsertest.Page, selector string) {
	browsertest.Eval[bool](p, fmt.Sprintf(`(() => { document.querySelector(%s).requestSubmit(); return true })()`, quote(selector)))
}

// nextTick waits until the page has drawn another second.
func nextTick(p *browsertest.Page) {
	last := p.Text("#point")
	p.WaitFor(fmt.Sprintf(`document.querySelector("#point").textContent !== %s`, quote(last)))
}

// settled is what a promise comes to.
func settled[T any](p *browsertest.Page, promise string) T {
	browsertest.Eval[bool](p, `(() => { delete window.settled; `+promise+`.then(value => { window.settled = value }); return true })()`)
	p.WaitFor(`"settled" in window`)
	return browsertest.Eval[T](p, `window.settled`)
}

// What happens is on the page within a second or two, without a reload.
func TestPageIsLive(t *testing.T) {
	d := start(t, Options{Config: write(t, watchedPolicy)})
	page := openPage(t, d)
	page.WaitFor(saying("#live-title ~ p", "No limit has been asked"))
	d.spend(t, 23, "203.0.113.7", "/search")
	page.WaitFor(`Number(document.querySelector("#allowed").textContent) > 0 && Number(document.querySelector("#refused").textContent) > 0 && Number(document.querySelector("#shadow").textContent) > 0`)
	page.WaitFor(saying("main", "edge default"))
	page.WaitFor(saying("#store", "up"))
	page.WaitFor(saying("#config + small", "old"))
	page.WaitFor(`document.querySelectorAll("#refusals li").length === 18`) // 15 in shadow, 3 that are none
	page.WaitFor(`document.querySelector("#chart canvas") !== null`)
	page.WaitFor(saying("#crowd", "1 caller of edge default"))
	if got := page.Text("#refusals li"); !strings.Contains(got, "ip:203.0…") || !strings.Contains(got, "/search") {
		t.Errorf("a refusal is shown as %q", got)
	}
	page.Clean()
}

// The slider says who would be refused at another limit, by the keyboard too.
func TestPageSlider(t *testing.T) {
	d := start(t, Options{Config: write(t, watchedPolicy)})
	for i := range 10 {
		d.spend(t, i+1, fmt.Sprint("203.0.113.", i), "/")
	}
	page := openPage(t, d)
	page.WaitFor(saying("#crowd", "10 callers of edge default, 20/day"))
	if got := page.Text("#verdict"); got != "At 20/day: 0 of 10 callers (0%)" {
		t.Errorf("the slider begins at %q", got)
	}
	page.Do(chromedp.Focus(chromedp.CSS("#slider")), chromedp.KeyEvent(kb.Home))
	page.WaitFor(saying("#verdict", "At 1/day: 9 of 10 callers (90%), who ask 98.2% of all requests"))
	page.Do(chromedp.KeyEvent(kb.ArrowRight))
	page.WaitFor(saying("#verdict", "At 2/day: 8 of 10 callers"))
	if got := browsertest.Eval[string](page, `document.querySelector("#slider").getAttribute("aria-valuetext")`); !strings.HasPrefix(got, "At 2/day: 8 of 10") {
		t.Errorf("a screen reader says %q", got)
	}
	click(page, "table button", "tried default")
	page.WaitFor(saying("#verdict", "At 5/day: 5 of 10 callers"))
	page.Clean()
}

// A decision is explained by its id, by a click on a refusal, and by a link; a
// request that nobody has sent, by the form.
func TestPageExplains(t *testing.T) {
	d := start(t, Options{Config: write(t, watchedPolicy)})
	refused := d.spend(t, 21, "203.0.113.7", "/search")
	page := openPage(t, d)

	fill(page, "#by-id input", refused.ID)
	submit(page, "#by-id")
	page.WaitFor(saying("#explained", "Refused by edge/default."))
	got := page.Text("#explained")
	for _, want := range []string{"20 of 20", "ip:203.0…", refused.ID, "What would change that"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing in %s", want, got)
		}
	}
	click(page, "#explained summary", "What every algorithm would say")
	for _, algorithm := range []string{"gcra", "token-bucket", "fixed-window", "sliding-log", "sliding-counter"} {
		page.WaitFor(saying("#explained table", algorithm))
	}

	click(page, "summary", "fill in a request")
	fill(page, `#by-request [name=path]`, "/search")
	fill(page, `#by-request [name=ip]`, "198.51.100.9")
	fill(page, `#by-request [name=key]`, "k1")
	nextTick(page)
	if got := browsertest.Eval[string](page, "document.querySelector(`#by-request [name=path]`).value"); got != "/search" {
		t.Errorf("a second later the path that was filled in is %q", got)
	}
	submit(page, "#by-request")
	page.WaitFor(saying("#explained", "Allowed: every limit has room."))
	page.WaitFor(saying("#explained", "50/day"))
	fill(page, `#by-request [name=ip]`, "nowhere")
	submit(page, "#by-request")
	page.WaitFor(saying("#explaining", "nowhere"))

	click(page, "#refusals button", "edge default")
	page.WaitFor(saying("#explained", "Refused by edge/default."))
	linked := browsertest.Open(t, d.admin+"/#"+refused.ID)
	linked.WaitFor(saying("#explained", "Refused by edge/default."))
	linked.Clean()
}

// Without a token a page may look and not touch.
func TestPageIsReadOnlyWithoutToken(t *testing.T) {
	d := start(t, Options{Config: write(t, watchedPolicy)})
	d.spend(t, 3, "203.0.113.7", "/")
	page := openPage(t, d)
	click(page, "section .tall th button", "ip:203.0…")
	page.WaitFor(saying("#caller", "3 of 20 used"))
	page.WaitFor(saying("#readonly", "Read-only"))
	if browsertest.Eval[bool](page, `document.querySelector("#reset, #full") !== null`) {
		t.Error("there is a button that cannot work")
	}
	page.Clean()
	if status := settled[int](page, `fetch("v1/reset", {method: "POST", body: '{"layer": "edge", "key": "203.0.113.7"}'}).then(r => r.status)`); status != http.StatusForbidden {
		t.Errorf("a page that resets gets %d", status)
	}
}

// With a token the page asks for it, shows nothing without it, and may then reset.
func TestPageWithToken(t *testing.T) {
	d := start(t, Options{Config: write(t, watchedPolicy), Token: "open sesame"})
	decided := d.spend(t, 3, "203.0.113.7", "/")
	d.spend(t, 6, "198.51.100.9", "/")
	page := browsertest.Open(t, d.admin+"/#"+decided.ID)
	page.WaitFor(`document.querySelector("#token") !== null`)
	page.Clean()
	fill(page, "#token input", "open barley")
	submit(page, "#token")
	page.WaitFor(saying("[role=alert]", "This needs the admin token"))
	fill(page, "#token input", "open sesame")
	submit(page, "#token")
	page.WaitFor(connected)
	page.WaitFor(saying("#explained", decided.ID))

	page.WaitFor(saying("section .tall", "ip:203.0…"))
	page.WaitFor(saying("#refusals", "ip:198.51…"))
	page.Do(chromedp.Click(chromedp.CSS("#full")))
	page.WaitFor(saying("#refusals", "ip:198.51.100.9"))
	click(page, "section .tall th button", "ip:203.0.113.7")
	page.WaitFor(saying("#caller", "3 of 20 used"))
	page.WaitFor(`document.querySelector("#caller code + button") !== null && ` + saying("#caller", "weir keys reset --admin "+d.admin+" --layer edge --key '~"))
	click(page, "#reset", "Reset")
	page.WaitFor(saying("#caller", "3 of 20 used")) // it asks first
	click(page, "#reset", "Yes")
	page.WaitFor(saying("#caller", "0 of 20 used"))
	page.WaitFor(saying("#said", "Reset: 1 key forgotten."))
	if kept := browsertest.Eval[string](page, `JSON.stringify([localStorage, sessionStorage, document.cookie, location.href])`); strings.Contains(kept, "sesame") {
		t.Errorf("the token is kept: %s", kept)
	}
}

// Anybody can be looked at by address or key.
func TestPageLooksUpACaller(t *testing.T) {
	d := start(t, Options{Config: write(t, watchedPolicy)})
	d.spend(t, 4, "203.0.113.7", "/")
	page := openPage(t, d)
	page.WaitFor(saying("#lookup select", "edge"))
	fill(page, "#lookup [name=key]", "203.0.113.7")
	submit(page, "#lookup")
	page.WaitFor(saying("#caller", "4 of 20 used"))
	page.Clean()
}

// When the daemon goes the page says so; when another comes it shows that one.
func TestPageReconnects(t *testing.T) {
	config := write(t, watchedPolicy)
	d := start(t, Options{Config: config})
	d.spend(t, 21, "203.0.113.7", "/")
	page := openPage(t, d)
	page.WaitFor(`document.querySelectorAll("#refusals li").length > 0`)
	if err := d.stop(); err != nil {
		t.Fatal(err)
	}
	page.WaitFor(saying("#connection", "Not connected."))
	start(t, Options{Config: config, Admin: strings.TrimPrefix(d.admin, "http://")})
	page.WaitFor(connected)
	page.WaitFor(`document.querySelectorAll("#refusals li").length === 0`)
	for _, fault := range page.Faults() {
		if !strings.Contains(fault, "net::ERR_") {
			t.Errorf("the page complained: %s", fault)
		}
	}
}

// What callers send is text on the page, whatever it looks like.
func TestPageShowsTextAsText(t *testing.T) {
	const evil = `<img/src=x/onerror=window.evil=1><script>window.evil=2</script>{{7*7}}${window.evil=3}`
	d := start(t, Options{Token: "t", Config: write(t, `
layers:
  - {name: tenant, by: "header:X-Tenant", limit: 1/day}`)})
	body, _ := json.Marshal(map[string]any{"attributes": map[string]any{"method": "GET", "host": "x.example", "path": "/" + evil, "headers": map[string]string{"X-Tenant": "<i>a</i>"}}})
	for range 2 {
		in, _ := http.NewRequest(http.MethodPost, d.http+"/v1/take", strings.NewReader(string(body)))
		if status, answer := do(t, in); status != http.StatusOK {
			t.Fatal(answer)
		}
	}
	page := browsertest.Open(t, d.admin)
	page.WaitFor(`document.querySelector("#token") !== null`)
	fill(page, "#token input", "t")
	submit(page, "#token")
	page.WaitFor(saying("#refusals", evil))
	click(page, "#refusals button", evil)
	page.WaitFor(saying("#explained", evil))
	page.WaitFor(`document.querySelector("#full") !== null`)
	page.Do(chromedp.Click(chromedp.CSS("#full")))
	click(page, "section .tall th button", "header:X-Tenant=%3Ci%3Ea")
	page.WaitFor(saying("#caller", "1 of 1 used"))
	if browsertest.Eval[bool](page, `"evil" in window || document.querySelector("main img, main script, main i") !== null`) {
		t.Error("what a caller sent became part of the page")
	}
	page.Clean()
}

// It fits a phone, the dark, and the keyboard.
func TestPageFits(t *testing.T) {
	d := start(t, Options{Config: write(t, watchedPolicy)})
	refused := d.spend(t, 21, "2001:db8:85a3::8a2e:370:7334", "/a/rather/long/path/"+strings.Repeat("x", 200))
	page := browsertest.Open(t, d.admin+"/#"+refused.ID)
	page.WaitFor(saying("#explained", "Refused by"))
	click(page, "section .tall th button", "ip:2001")
	page.WaitFor(saying("#caller", "20 of 20 used"))
	click(page, "summary", "fill in a request")
	for _, width := range []int64{360, 800, 1280} {
		page.Resize(width, 800)
		if wide := browsertest.Eval[int](page, "document.documentElement.scrollWidth"); int64(wide) > width {
			t.Errorf("at %d pixels it is %d wide", width, wide)
		}
	}
	colours := `getComputedStyle(document.body).backgroundColor`
	light := browsertest.Eval[string](page, colours)
	page.Dark(true)
	if dark := browsertest.Eval[string](page, colours); dark == light {
		t.Errorf("it is %s in the dark too", dark)
	}
	if nameless := browsertest.Eval[string](page, `[...document.querySelectorAll("input, select, button, svg:not([aria-hidden])")].filter(e => !([...e.labels || []].some(l => [...l.childNodes].some(n => n.nodeType === Node.TEXT_NODE && n.textContent.trim())) || e.ariaLabel || e.textContent.trim())).map(e => e.outerHTML).join()`); nameless != "" {
		t.Errorf("a screen reader has no name for %s", nameless)
	}
	browsertest.Eval[bool](page, `(() => { window.passed = new Set(); document.addEventListener("focusin", e => { passed.add(e.target); if (getComputedStyle(e.target).outlineStyle === "none") window.unseen = e.target.outerHTML }); return true })()`)
	stops := `[...document.querySelectorAll("button, input, select, summary")].filter(e => e.checkVisibility())`
	for range browsertest.Eval[int](page, stops+`.length`) + 20 {
		page.Do(chromedp.KeyEvent(kb.Tab))
	}
	if left := browsertest.Eval[string](page, stops+`.filter(e => !passed.has(e)).map(e => e.outerHTML).join()`); left != "" {
		t.Errorf("the keyboard does not reach %s", left)
	}
	if unseen := browsertest.Eval[string](page, `window.unseen || ""`); unseen != "" {
		t.Errorf("the focus cannot be seen on %s", unseen)
	}
	page.Clean()
}
