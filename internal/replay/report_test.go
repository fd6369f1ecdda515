package replay

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// The names of the JSON report are promises.
func TestJSONNames(t *testing.T) {
	text, err := json.Marshal(one(t, "layers: [{name: edge, by: ip, limit: 2/min}]", strings.Repeat(line("203.0.113.7", 0, "/a"), 3)))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"requests": 3.0, "unparsed": 0.0, "callers": 1.0, "refused": 1.0, "callers_refused": 1.0,
		"from": "2024-05-15T12:00:00Z", "to": "2024-05-15T12:00:00Z",
		"top_refused": []any{map[string]any{"caller": "ip:203.0.113.7", "requests": 3.0, "refused": 1.0}},
		"top_routes":  []any{map[string]any{"route": "GET /a", "refused": 1.0, "over": 0.0}},
	}
	for name, value := range want {
		if !reflect.DeepEqual(got[name], value) {
			t.Errorf("%s is %v, want %v", name, got[name], value)
		}
	}
	layer := got["layers"].([]any)[0].(map[string]any)
	for name, value := range map[string]any{"layer": "edge", "limit": "2/min gcra", "refused": 1.0, "callers_refused": 1.0, "mode": "enforced",
		"suggest": map[string]any{"0.1%": 3.0, "1%": 3.0, "5%": 3.0}} {
		if !reflect.DeepEqual(layer[name], value) {
			t.Errorf("layers[0].%s is %v, want %v", name, layer[name], value)
		}
	}
}

// A layer that no request met is in the report, with null for what is not known.
func TestLayerThatCountsNothing(t *testing.T) {
	text, err := json.Marshal(one(t, "", line("203.0.113.7", 0, "/")).Layers[1])
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), `"layer":"gateway","limit":""`) || !strings.Contains(string(text), `"suggest":{"0.1%":null,"1%":null,"5%":null}`) {
		t.Errorf("%s", text)
	}
}

// Headers in a log are attributes: API keys find their plans, and do not show.
func TestKeysInLogs(t *testing.T) {
	const config = `
plans: {free: 1/min, pro: 5/min}
clients: {plan: {k1: pro}, unknown: free}
layers: [{name: gateway, by: client, limit: plan}]`
	request := func(ip, key string) string {
		return fmt.Sprintf(`{"ts":1796094054.5,"request":{"client_ip":%q,"method":"GET","uri":"/","headers":{"X-Api-Key":[%q]}}}`+"\n", ip, key)
	}
	r := one(t, config, strings.Repeat(request("203.0.113.7", "k1"), 4)+strings.Repeat(request("203.0.113.8", "k2"), 4))
	if len(r.Layers) != 2 || r.Layers[0].Limit != "1/min gcra" || r.Layers[0].Refused != 3 || r.Layers[1].Limit != "5/min gcra" || r.Layers[1].Refused != 0 {
		t.Errorf("%+v", r.Layers)
	}
	if text, _ := json.Marshal(r); strings.Contains(string(text), "k1") || strings.Contains(string(text), `"k2"`) {
		t.Errorf("keys show: %s", text)
	}
}

// Behind a trusted proxy the client is in X-Forwarded-For, where the log has it.
func TestForwardedClients(t *testing.T) {
	const config = "trusted_proxies: [10.0.0.0/8]\nlayers: [{name: edge, by: ip, limit: 1/min}]"
	const iis = "#Fields: date time c-ip cs-method cs-uri-stem X-Forwarded-For\n2026-12-01 03:01:01 %s GET / 198.51.100.9,+203.0.113.7\n"
	const nginx = `{"msec":1796094061.5,"remote_addr":%q,"request_uri":"/","http_x_forwarded_for":"198.51.100.9, 203.0.113.7"}` + "\n"
	const apache = `198.51.100.9, 203.0.113.7, %s - - [01/Dec/2026:03:01:01 +0000] "GET / HTTP/1.1" 200 5` + "\n"
	for _, log := range []string{iis, nginx, apache} {
		for peer, want := range map[string]string{"10.0.0.1": "ip:203.0.113.7", "192.0.2.1": "ip:192.0.2.1"} {
			r := one(t, config, strings.Repeat(fmt.Sprintf(log, peer), 2))
			if r.Refused != 1 || r.TopRefused[0].Caller != want {
				t.Errorf("from %s: %+v, want %s", peer, r.TopRefused, want)
			}
		}
	}
}

// Callers of whom the log has a host name are told apart, and named.
func TestHostNames(t *testing.T) {
	r := one(t, "layers: [{name: edge, by: ip, limit: 1/min}]",
		line("a.example.net", 0, "/")+line("A.example.net", 1, "/")+line("b.example.net", 2, "/")+line("-", 3, "/"))
	if r.Callers != 3 || r.Refused != 2 || r.TopRefused[0].Caller != "A.example.net" && r.TopRefused[1].Caller != "A.example.net" {
		t.Errorf("%d callers, %d refused, %+v", r.Callers, r.Refused, r.TopRefused)
	}
	if fmt.Sprint(r.Denied) != "[{edge: the client's address is unknown 1}]" {
		t.Errorf("denied: %v", r.Denied)
	}
}

// Memory is bounded by callers: neither time nor paths make the report grow.
func TestReportIsBounded(t *testing.T) {
	times := &timeline{}
	for i := range int64(2_000_000) {
		times.add(1_700_000_000_000_000+i*i*1000, i%3 == 0)
	}
	if len(times.bins) > maxBins || len(times.minutes) > maxTop {
		t.Errorf("%d bins, %d minutes", len(times.bins), len(times.minutes))
	}
	want := make([]bin, len(times.bins))
	for i := range int64(2_000_000) {
		b := &want[(1_700_000_000_000_000+i*i*1000)/1_000_000/times.width-times.first]
		b.requests++
		if i%3 == 0 {
			b.refused++
		}
	}
	if !slices.Equal(times.bins, want) {
		t.Errorf("bins hold %v, want %v", times.bins, want)
	}
	routes := newHeavy(100)
	for i := range 100_000 {
		routes.add(fmt.Sprint("rare", i))
		if i%10 == 0 {
			routes.add("frequent")
		}
	}
	for range 5000 {
		routes.add("new")
	}
	top := routes.top(2)
	if len(routes.cells) > 200 || top[0].text != "frequent" || top[1].text != "new" {
		t.Fatalf("%d cells, first %+v and %+v", len(routes.cells), top[0], top[1])
	}
	for i, want := range []int64{10_000, 5000} {
		if c := top[i]; c.count < want || c.count-c.over > want || c.over > 1000 {
			t.Errorf("%s came %d times, and is %+v", c.text, want, c)
		}
	}
}

// A policy of hundreds of routes has a report that can be read.
func TestManyRoutes(t *testing.T) {
	var routes, log strings.Builder
	for i := range 200 {
		fmt.Fprintf(&routes, "/r%d: 1/min, ", i)
		log.WriteString(strings.Repeat(line("203.0.113.7", i, fmt.Sprint("/r", i)), 1+i%7))
	}
	r := one(t, "layers: [{name: endpoint, by: [client, route], routes: {"+strings.TrimSuffix(routes.String(), ", ")+"}}]", log.String())
	var text, page strings.Builder
	r.WriteText(&text)
	r.WriteHTML(&page)
	if n := strings.Count(text.String(), "\n"); len(r.Layers) != 200 || n > 750 || !strings.Contains(text.String(), "for the 12 with the most requests") {
		t.Errorf("%d limits, %d lines", len(r.Layers), n)
	}
	if page.Len() > 1<<20 {
		t.Errorf("the page has %d bytes", page.Len())
	}
}

// A share that is met exactly is met.
func TestSharesMetExactly(t *testing.T) {
	log := strings.Repeat(line("203.0.113.7", 0, "/"), 11) // one too many for 10
	for i := range 9 {
		log += line(fmt.Sprintf("198.51.100.%d", i), 0, "/")
	}
	l := one(t, "layers: [{name: edge, by: ip, limit: 10/min}]", log).Layers[0]
	if l.SuggestRequests != (Shares{12, 12, 10}) || l.Suggest != (Shares{11, 11, 11}) {
		t.Errorf("suggests %v of callers and %v of requests", l.Suggest, l.SuggestRequests)
	}
	log += strings.Repeat(line("192.0.2.1", 0, "/")+line("192.0.2.2", 0, "/"), 5)
	for i := range 8 {
		log += line(fmt.Sprintf("198.51.101.%d", i), 0, "/")
	}
	l = one(t, "layers: [{name: edge, by: ip, limit: 10/min}]", log).Layers[0] // one caller in twenty
	if l.Callers != 20 || l.Suggest != (Shares{11, 11, 5}) {
		t.Errorf("suggests %v for %d callers", l.Suggest, l.Callers)
	}
}
