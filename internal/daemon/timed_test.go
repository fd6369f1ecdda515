package daemon

import (
	"strings"
	"testing"
)

// A shared store tells how long it took, in metrics and to pages; what is refused
// again without a call takes no time of it.
func TestStoreTimeIsTold(t *testing.T) {
	d := onRedis(t, "layers: [{name: edge, by: ip, limit: 100/h}]\n")
	page := d.live(t, "")
	d.check(t)
	d.check(t)
	d.metric(t, "weir_store_duration_seconds_count 2")
	for strings.Contains(page.until("tick", `"kind":"redis"`).data, `"p50_us":0`) {
	}
}
