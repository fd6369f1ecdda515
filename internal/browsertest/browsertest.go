// Package browsertest drives pages in a real Chromium, for tests.
//
//	page := browsertest.Open(t, server.URL)
//	page.Do(chromedp.Click(chromedp.CSS("#reset")))
//	page.WaitFor(`document.querySelector("#state").textContent === "fresh"`)
//	page.Clean() // no error on the console, no request to another host
//
// Chromium is Debian's chromium; where it is missing the test fails. It ends with
// the test.
package browsertest

import (
	"context"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience is how long one step may take before the test fails. It is long, for a
// machine that does other things too.
const patience = 60 * time.Second

// Page is one page in a browser of its own.
type Page struct {
	t    testing.TB
	ctx  context.Context
	home string // scheme and host of the address it was opened with

	mu       sync.Mutex
	faults   []string // what the console and the page complained of
	requests []string // addresses that were asked for
}

// Open starts a browser and opens the address: http, or a file's. The window is
// 1280 by 900 pixels.
func Open(t testing.TB, address string) *Page {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatalf("browsertest: %v; scripts/install-test-deps installs it", err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.WindowSize(1280, 900),
		chromedp.UserDataDir(profile(t)), chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.WSURLReadTimeout(patience))
	allocated, end := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(end)
	p := &Page{t: t, home: origin(address)}
	ctx, closed := chromedp.NewContext(allocated, chromedp.WithListener(p.listen))
	t.Cleanup(closed)
	p.ctx = ctx
	// The first Do starts the browser, which lives as long as its context: it must
	// not be one with a deadline.
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("browsertest: start chromium: %v", err)
	}
	p.Do(chromedp.Navigate(address))
	return p
}

// profile is a folder for the browser, which may still be writing to it when the
// test ends: unlike with t.TempDir that is no failure.
func profile(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "weir-browser-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Scheme + "://" + u.Host
}

// listen notes what must not be. It is called from the browser's goroutine.
func (p *Page) listen(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request.URL)
	case *runtime.EventExceptionThrown:
		p.faults = append(p.faults, thrown(e.ExceptionDetails))
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			p.faults = append(p.faults, e.Entry.Text+" "+e.Entry.URL)
		}
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning || e.Type == runtime.ConsoleAPICalledTypeAssert {
			for _, argument := range e.Args {
				p.faults = append(p.faults, string(argument.Value)+argument.Description)
			}
		}
	}
}

func thrown(details *runtime.ExceptionDetails) string {
	if details.Exception != nil {
		return details.Text + " " + details.Exception.Description
	}
	return details.Text
}

// Do does something with the page.
func (p *Page) Do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	for _, action := range actions {
		Run(p, action)
	}
}

// Run does something with the page and returns what comes of it.
func Run[T any](p *Page, action chromedp.Action[T]) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	result, err := chromedp.Run(ctx, action)
	if err != nil {
		p.t.Fatalf("browsertest: %v\nthe page complained: %v", err, p.Faults())
	}
	return result
}

// Eval is the value of a JavaScript expression.
func Eval[T any](p *Page, expression string) T {
	p.t.Helper()
	return Run(p, chromedp.Evaluate[T](expression))
}

// Text is what the first element that a CSS selector finds shows.
func (p *Page) Text(selector string) string {
	p.t.Helper()
	return strings.TrimSpace(Run(p, chromedp.Text(chromedp.CSS(selector))))
}

// WaitFor waits until a JavaScript expression is true.
func (p *Page) WaitFor(expression string) {
	p.t.Helper()
	Run(p, chromedp.Poll[bool](expression, chromedp.WithPollingInterval(20*time.Millisecond), chromedp.WithPollingTimeout(patience)))
}

// Resize makes the window another size, in CSS pixels, as on a phone.
func (p *Page) Resize(width, height int64) {
	p.t.Helper()
	p.Do(chromedp.EmulateViewport(width, height))
}

// Dark asks for dark colours, or for light ones again.
func (p *Page) Dark(dark bool) {
	p.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	p.Do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		return err
	}))
}

// Screenshot writes what the window shows to a PNG file, for whoever asks for one by
// naming a folder in WEIR_SCREENSHOTS. So the pictures in the documentation are made
// by the tests.
func (p *Page) Screenshot(name string) {
	p.t.Helper()
	folder := os.Getenv("WEIR_SCREENSHOTS")
	if folder == "" {
		return
	}
	image := Run(p, chromedp.CaptureScreenshot())
	if err := os.WriteFile(filepath.Join(folder, name), image, 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// Faults are what the console and the page complained of until now.
func (p *Page) Faults() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.faults...)
}

// Clean fails the test if the page complained of anything, or asked another host
// than its own.
func (p *Page) Clean() {
	p.t.Helper()
	for _, fault := range p.Faults() {
		p.t.Errorf("browsertest: the page complained: %s", fault)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, request := range p.requests {
		if !strings.HasPrefix(request, p.home) && !strings.HasPrefix(request, "data:") && !strings.HasPrefix(request, "blob:") {
			p.t.Errorf("browsertest: the page asked %s", request)
		}
	}
}
