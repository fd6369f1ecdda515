package forwardauth

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// own are the queries that a proxy's configuration may hold for the check. None
// ends in accel: the rest of the path that nginx appends would go on with its name.
var own = []string{"", "cost=1", "cost=2", "cost=0", "peek=1", "deny=403", "deny=403&cost=3", "accel=@app&cost=3", "peek=0&cost=2", "cost=10&deny=401&cost=1", "x=1"}

// joins are the ways in which a client's URI gets into the check's.
var joins = []func(own, path, query string) string{
	func(own, _, _ string) string { return own },
	func(own, _, query string) string { return join(own, query) },
	func(own, _, query string) string { return join(query, own) },
	func(own, _, query string) string { // a proxy that parses and writes anew
		values, _ := url.ParseQuery(query)
		return join(own, values.Encode())
	},
	func(own, path, query string) string { // nginx: proxy_pass http://weir/check?cost=2;
		path, err := url.PathUnescape(path)
		if own == "" || err != nil {
			return join(own, query)
		}
		return strings.TrimSuffix(own+strings.NewReplacer("%", "%25", "?", "%3F", "#", "%23", " ", "%20").Replace(path)+"?"+query, "?")
	},
}

func join(a, b string) string { return strings.Trim(a+"&"+b, "&") }

// Nothing that a client writes in its URI lowers what it is charged, sends it
// elsewhere, shows it a diagnosis, or makes a check fail that would not have.
func FuzzClientsQueryNeverLowersTheCharge(f *testing.F) {
	for i := range own {
		f.Add("/a", "peek=1&cost=0&explain=1&accel=@secret", i, 1)
		f.Add("/a", own[i], i, 1)
		f.Add("/&peek=1", "", i, 4)
		f.Add("/%26pe%65k=1", "peek=%31", i, 4)
	}
	f.Add("/a", "pe%65k=1&c%6fst=0", 2, 3)
	f.Add("/a", "cost=+1&cost=%zz&peek&deny=;&deny=404", 0, 1)
	f.Add("/a", "%zz&cost=%30", 2, 1)
	f.Add("/a", strings.Repeat("&", 20_000), 2, 2)
	proxies := []Profile{named(f, "plain"), named(f, "nginx"), named(f, "haproxy"), named(f, "caddy"), named(f, "traefik"), named(f, "envoy")}
	f.Fuzz(func(t *testing.T, path, query string, o, how int) {
		if strings.ContainsAny(path, "?#") {
			return // it would be no path
		}
		if how %= len(joins); how < 0 {
			how = -how
		}
		if o %= len(own); o < 0 {
			o = -o
		}
		for _, p := range proxies {
			alone, together := through(t, p, own[o], "/"), through(t, p, joins[how](own[o], path, query), path+"?"+query)
			switch {
			case alone.status != http.StatusOK:
				continue // accel elsewhere than on nginx
			case together.status != http.StatusOK && how != 4:
				t.Errorf("%s: the client makes the check fail: %d", p.Name, together.status)
			case together.status == http.StatusOK && together.charge < alone.charge:
				t.Errorf("%s: %d are charged, and %d without the client's query", p.Name, together.charge, alone.charge)
			case together.accel != alone.accel && together.accel != "":
				t.Errorf("%s: the client is sent to %s", p.Name, together.accel)
			}
		}
	})
}

type outcome struct {
	status int
	charge int64
	accel  string
}

// through asks as a proxy does that puts its headers right.
func through(t *testing.T, p Profile, rawQuery, uri string) outcome {
	t.Helper()
	e := trusting(t, "10.0.0.1")
	r := httptest.NewRequest(http.MethodGet, "/check", nil)
	r.RemoteAddr, r.URL.RawQuery = "10.0.0.1:5123", rawQuery
	for name, value := range map[string]string{p.client.Name(): "203.0.113.7", p.set.method: "GET", p.set.uri: uri, p.set.host: "api.example"} {
		if name != "" {
			r.Header[name] = []string{value}
		}
	}
	w := httptest.NewRecorder()
	New(e, p).ServeHTTP(w, r)
	got := outcome{status: w.Code, accel: w.Header().Get("X-Accel-Redirect")}
	if e.asked != nil && !e.asked.Peek {
		got.charge = e.asked.Cost
	}
	return got
}

// Whoever asks by hand is believed; a stranger in front of whom there should be a
// proxy may be one that passes a client's query on. All that Envoy sends is the
// client's.
func TestWhoseOptionsCount(t *testing.T) {
	for _, c := range []struct {
		profile string
		trusted bool
		charge  int64 // of a check that says cost=3&peek=1
	}{
		{"plain", true, 0}, {"plain", false, 0},
		{"nginx", true, 0}, {"nginx", false, 3},
		{"haproxy", true, 0}, {"haproxy", false, 3},
		{"caddy", true, 0}, {"caddy", false, 3},
		{"traefik", true, 0}, {"traefik", false, 3},
		{"envoy", true, 1}, {"envoy", false, 1},
	} {
		e := trusting(t)
		if c.trusted {
			e = trusting(t, "10.0.0.1")
		}
		askAs(named(t, c.profile), e, "GET", "http://weir/check/own?cost=3&peek=1", everyHeader)
		if e.asked == nil || e.asked.Peek != (c.charge == 0) || !e.asked.Peek && e.asked.Cost != c.charge {
			t.Errorf("%s, trusted %t: %+v", c.profile, c.trusted, e.asked)
		}
	}
}
