package extauthz

import (
	"strings"
	"testing"
)

func TestOptions(t *testing.T) {
	for _, one := range []struct {
		name       string
		extensions map[string]string
		cost       int64
		peek       bool
	}{
		{"none", nil, 1, false},
		{"cost", map[string]string{"cost": "7"}, 7, false},
		{"cost 0", map[string]string{"cost": "0"}, 0, false},
		{"peek", map[string]string{"peek": "1", "cost": "2"}, 2, true},
		{"no peek", map[string]string{"peek": "0"}, 1, false},
		{"others'", map[string]string{"virtual_host": "api"}, 1, false},
	} {
		t.Run(one.name, func(t *testing.T) {
			e, in := allowing(), attributes("203.0.113.7")
			in.ContextExtensions = one.extensions
			check(t, e, "10.0.0.1", in)
			if e.asked.Cost != one.cost || e.asked.Peek != one.peek {
				t.Errorf("cost %d, peek %t", e.asked.Cost, e.asked.Peek)
			}
		})
	}
}

func TestOptionsOfAStrangerAreNone(t *testing.T) {
	e, in := allowing(), attributes("203.0.113.7")
	in.ContextExtensions = map[string]string{"cost": "0", "peek": "1", "deny": "no"}
	check(t, e, "198.51.100.5", in)
	if e.asked.Cost != 1 || e.asked.Peek || e.asked.Trusted {
		t.Errorf("%+v", e.asked)
	}
}

// A mistake in Envoy's configuration is seen at once, and lets nothing pass.
func TestBadOptions(t *testing.T) {
	for _, one := range [][2]string{{"cost", "-1"}, {"cost", "1.5"}, {"cost", ""}, {"peek", "yes"}, {"deny", "503"}, {"deny", "399"}, {"deny", strings.Repeat("9", 1000)}} {
		e, in := allowing(), attributes("203.0.113.7")
		in.ContextExtensions = map[string]string{one[0]: one[1]}
		denied := check(t, e, "10.0.0.1", in).GetDeniedResponse()
		if e.asked != nil || denied.GetStatus().GetCode() != 500 || !strings.Contains(denied.GetBody(), one[0]+": ") || len(denied.GetBody()) > 300 {
			t.Errorf("%s=%.20s: asked %v, answered %v", one[0], one[1], e.asked, denied)
		}
	}
}
