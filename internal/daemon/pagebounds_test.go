package daemon

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/weirhq/weir/internal/browsertest"
)

// Neither many callers nor a long day make the page grow.
func TestPageIsBounded(t *testing.T) {
	d := start(t, Options{Config: write(t, "layers: [{name: edge, by: ip, limit: 1/day}]")})
	page := openPage(t, d)
	for i := range 200 {
		d.batch(t, i, 1000)
	}
	d.batch(t, 0, 1000) // these are refused
	page.WaitFor(`document.querySelectorAll("#refusals li").length >= 50`)
	page.WaitFor(`document.querySelectorAll("section .tall tbody tr").length === 50`)
	page.WaitFor(`Number(document.querySelector("#crowd").textContent.match(/[\d,]+/)[0].replaceAll(",", "")) > 150000`)

	// A day and a hundred and fifty limits, of which each second shows another
	// hundred; in the end the same.
	held := settled[map[string]int](page, `import(new URL("page/state.js", location)).then(state => {
		for (let s = 0; s < 86400; s++) {
			const limits = s > 86000 ? Array.from({length: 100}, (_, i) => ({layer: "edge", limit: "l" + (i + (s < 86200 ? 50 * (s % 3) : 0)), rate: "1/s", algorithm: "gcra", allowed: 1, refused: 1, shadow_refused: 0, utilisation: 1})) : [];
			state.addTick({at_ms: 1000 * s, allowed: 1, refused: 1, shadow_refused: 0, denied: 0, errors: 0, degraded: 0, limits});
			if (s % 10 === 0) state.addRefusal({id: String(s), at_ms: 1000 * s, layer: "edge", limit: "l1", key: "k", retry_after_ms: 1});
		}
		return state.retained();
	})`)
	for what, most := range map[string]int{"ticks": 300, "refusals": 200, "limits": 100, "points": 2 * 60 * 100, "callers": 50, "peaks": 512} {
		if n, ok := held[what]; !ok || n > most {
			t.Errorf("%d %s are held, and %d are the most", n, what, most)
		}
	}
	page.WaitFor(`document.querySelectorAll("#refusals li").length === 200`)
	nodes := browsertest.Eval[int](page, `document.querySelectorAll("*").length`)
	t.Logf("%d elements", nodes)
	if nodes > 5000 {
		t.Errorf("%d elements", nodes)
	}
	page.Clean()
}

// batch sends one request each of n callers; a number of its own has callers of
// its own.
func (r *running) batch(t *testing.T, number, n int) {
	t.Helper()
	items := make([]string, n)
	for i := range items {
		items[i] = fmt.Sprintf(`{"attributes": {"ip": "10.%d.%d.%d"}}`, number, i/250, i%250)
	}
	in, _ := http.NewRequest(http.MethodPost, r.http+"/v1/take/batch", strings.NewReader("["+strings.Join(items, ",")+"]"))
	if status, body := do(t, in); status != http.StatusOK {
		t.Fatalf("status %d: %.200s", status, body)
	}
}
