package policy

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// B31 and the issue: what reaches one handler is one route, and so one bucket.
func TestRouteOfAPath(t *testing.T) {
	var patterns []*pattern
	for _, text := range []string{"/login", "POST /login", "/tree/", "/exact/{$}", "/users/{id}", "/users/{id}/orders/", "/users/me", "/files/{path...}", "api.example.com/login", "GET /report", "/caf%C3%A9", "/a%20b"} {
		p, problem := parsePattern(text)
		if problem != nil {
			t.Fatal(text, problem)
		}
		patterns = append(patterns, p)
	}
	m := newMux(patterns)
	for _, c := range []struct{ method, host, path, want string }{
		{"GET", "", "/login", "/login"},
		{"GET", "", "//login", "/login"},
		{"GET", "", "/./login", "/login"},
		{"GET", "", "/x/../login", "/login"},
		{"GET", "", "/../../login", "/login"},
		{"GET", "", "/%6cogin", "/login"},
		{"GET", "", "/%6Cogi%6e", "/login"},
		{"GET", "", "/x/%2e%2e/login", "/login"},
		{"GET", "", "/%2E/login", "/login"},
		{"GET", "", "login", "/login"},
		{"GET", "", "/login?x=/tree/", "/login"},
		{"GET", "", "http://example.com/login", "/login"},
		{"GET", "", "HTTP://example.com//login#top", "/login"},
		{"POST", "", "/login", "POST /login"},
		{"POST", "", "//%6cogin", "POST /login"},
		{"post", "", "/login", "/login"},
		{"", "", "/login", "/login"},
		{"GET", "api.example.com", "/login", "api.example.com/login"},
		{"POST", "API.Example.COM.:8443", "/login", "api.example.com/login"},
		{"GET", "www.example.com", "/login", "/login"},
		{"GET", "", "/login/", ""}, // as ServeMux: another path
		{"GET", "", "/LOGIN", ""},
		{"GET", "", "/%256cogin", ""},
		{"GET", "", "/tree", "/tree/"}, // ServeMux redirects there
		{"GET", "", "/tree/", "/tree/"},
		{"GET", "", "/tree//a", "/tree/"},
		{"GET", "", "/treehouse", ""},
		{"GET", "", "/exact/", "/exact/{$}"},
		{"GET", "", "/exact", "/exact/{$}"},
		{"GET", "", "/exact/a", ""},
		{"GET", "", "/users/7", "/users/{id}"},
		{"GET", "", "/users/a%2Fb", "/users/{id}"},
		{"GET", "", "/users/me", "/users/me"},
		{"GET", "", "/users/me/orders/1", "/users/{id}/orders/"},
		{"GET", "", "/users/7/orders", "/users/{id}/orders/"},
		{"GET", "", "/users/", ""},
		{"GET", "", "/files/a/b/c", "/files/{path...}"},
		{"GET", "", "/files/", "/files/{path...}"},
		{"HEAD", "", "/report", "GET /report"},
		{"PUT", "", "/report", ""},
		{"GET", "", "/caf%C3%A9", "/caf%C3%A9"},
		{"GET", "", "/caf%c3%a9", "/caf%C3%A9"},
		{"GET", "", "/café", "/caf%C3%A9"},
		{"GET", "", "/a%20b", "/a%20b"},
		{"GET", "", "/%zz", ""},
		{"GET", "", "", ""},
		{"OPTIONS", "", "*", ""},
	} {
		got := ""
		if i := m.match(normalHost(c.host), c.method, normalPath(c.path)); i >= 0 {
			got = patterns[i].text
		}
		if got != c.want {
			t.Errorf("%s %s%s is route %q, want %q", c.method, c.host, c.path, got, c.want)
		}
	}
}

// words make patterns and paths that often meet.
var words = []string{"a", "b", "ab", "%61", "x", "a%2Fb", "%C3%A9"}

func pick(r *rand.Rand, from ...string) string { return from[r.IntN(len(from))] }

func randomPattern(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString(pick(r, "", "", "", "GET ", "POST ", "HEAD "))
	b.WriteString(pick(r, "", "", "", "h.example", "i.example"))
	n := r.IntN(4)
	for i := range n {
		b.WriteString("/" + pick(r, pick(r, words...), pick(r, words...), fmt.Sprintf("{w%d}", i)))
	}
	b.WriteString(pick(r, "", "/", "/{$}", "/{rest...}"))
	if n == 0 && !strings.Contains(b.String(), "/") {
		b.WriteString("/")
	}
	return b.String()
}

func randomPath(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(5) {
		b.WriteString("/" + pick(r, pick(r, words...), pick(r, words...), pick(r, words...), ".", "..", "", "%2F"))
	}
	b.WriteString(pick(r, "", "/"))
	if b.Len() == 0 {
		return "/"
	}
	return b.String()
}

// The pattern that wins is the one that wins in a ServeMux, for random sets of
// patterns and requests; and the two agree on which sets conflict.
func TestMuxAgreesWithServeMux(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	matched, clashes := 0, 0
	for round := range 3000 {
		real := http.NewServeMux()
		var set conflicts
		for range 1 + r.IntN(8) {
			text := randomPattern(r)
			p, problem := parsePattern(text)
			if problem != nil {
				t.Fatalf("round %d: %q: %v", round, text, problem)
			}
			accepted := registers(real, text)
			if other := set.add(p); (other == nil) != accepted {
				t.Fatalf("round %d: ServeMux takes %q among %v: %v, but %v", round, text, texts(set.patterns), accepted, other)
			}
			if !accepted {
				clashes++
				set.patterns = set.patterns[:len(set.patterns)-1]
			}
		}
		m := newMux(set.patterns)
		for range 40 {
			method, host, path := pick(r, "GET", "POST", "HEAD", "PUT"), pick(r, "", "h.example", "i.example:80", "j.example"), randomPath(r)
			_, want := real.Handler(&http.Request{Method: method, Host: host, URL: requestURL(t, path)})
			got := ""
			if i := m.match(normalHost(host), method, normalPath(path)); i >= 0 {
				got = set.patterns[i].text
				matched++
			}
			if got != want {
				t.Fatalf("round %d: %s %s%s among %q: got %q, ServeMux %q", round, method, host, path, texts(set.patterns), got, want)
			}
		}
	}
	if matched < 10_000 || clashes < 1000 {
		t.Errorf("the test says little: %d matches, %d conflicts", matched, clashes)
	}
}

func registers(mux *http.ServeMux, text string) (ok bool) {
	defer func() { ok = recover() == nil }()
	mux.Handle(text, http.NotFoundHandler())
	return true
}

func texts(patterns []*pattern) []string {
	var all []string
	for _, p := range patterns {
		all = append(all, p.text)
	}
	return all
}

func requestURL(t *testing.T, path string) *url.URL {
	return httptest.NewRequest("GET", "http://x"+path, nil).URL
}

// meets is right where it says no: no random path fits both patterns. And where
// it says yes: the path made of both fits both.
func TestPatternsMeet(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	apart, met := 0, 0
	for range 5000 {
		p, _ := parsePattern(randomPattern(r))
		q, _ := parsePattern(randomPattern(r))
		fit := func(method, host, path string) bool {
			return newMux([]*pattern{p}).search(host, method, path, false).leaf > 0 && newMux([]*pattern{q}).search(host, method, path, false).leaf > 0
		}
		if p.meets(q) != q.meets(p) {
			t.Fatalf("%q and %q meet one way only", p.text, q.text)
		}
		if p.meets(q) {
			met++
			if method, host, path := common(p, q); !fit(method, host, path) {
				t.Fatalf("%q and %q are said to meet, and not in %s %s%s", p.text, q.text, method, host, path)
			}
			continue
		}
		apart++
		for range 50 {
			if method, host, path := pick(r, "GET", "POST", "HEAD"), pick(r, "h.example", "i.example"), normalPath(randomPath(r)); fit(method, host, path) {
				t.Fatalf("%q and %q meet in %s %s%s", p.text, q.text, method, host, path)
			}
		}
	}
	if apart < 1000 || met < 500 {
		t.Errorf("the test says little: %d pairs apart, %d met", apart, met)
	}
}

// common makes a request of two patterns.
func common(p, q *pattern) (method, host, path string) {
	method, host = max(p.method, q.method), max(p.host, q.host) // HEAD is above GET
	for i := range max(len(p.segments), len(q.segments)) {
		s := segment{wild: rest}
		for _, other := range []*pattern{p, q} {
			if i < len(other.segments) && (s.wild == rest || other.segments[i].wild == literally) {
				s = other.segments[i]
			}
		}
		switch {
		case s.wild == rest:
			return method, host, path + "/"
		case s.wild == one:
			path += "/any"
		case s.literal == "/":
			path += "/"
		default:
			path += "/" + strings.NewReplacer("/", "%2F").Replace(s.literal)
		}
	}
	return method, host, path
}

// What ServeMux refuses is refused, and what could never match.
func TestBadPatterns(t *testing.T) {
	for text, want := range map[string]string{
		"":                 "is empty",
		"GET":              "has no slash",
		"GET ":             "is empty",
		"/a b":             "has a space in its path",
		"G(T /a":           "has a method",
		"get /a":           "has a method",
		"{x}/a":            "has a wildcard in its host",
		"h:80/a":           "has a port",
		"/a#b":             "has a query",
		"//a":              "is not clean",
		"/a/./b":           "is not clean",
		"/a/%2e%2e/b":      "is not clean",
		"/a{x}":            "has a wildcard inside",
		"/{x}a":            "has a wildcard inside",
		"/{x":              "has a wildcard inside",
		"/{$}/a":           "has {$} before its end",
		"/{x...}/a":        "has {x...} before its end",
		"/{}":              "has a wildcard {} whose name is not a word",
		"/{...}":           "has a wildcard {...} whose name is not a word",
		"/{1}":             "has a wildcard {1} whose name is not a word",
		"/{a-b}":           "has a wildcard {a-b} whose name is not a word",
		"/{x}/{x}":         "has two wildcards {x}",
		"/{x}/a/{x...}":    "has two wildcards {x}",
		"POST\t /a/{$}/":   "has {$} before its end",
		"example.com":      "has no slash",
		"GET example.com":  "has no slash",
		"GET  example.com": "has no slash",
	} {
		p, problem := parsePattern(text)
		if problem == nil {
			t.Errorf("%q is taken as %q", text, p.text)
		} else if !strings.HasPrefix(problem.message, want) || problem.hint == "" {
			t.Errorf("%q %s: %s, want %q", text, problem.message, problem.hint, want)
		}
	}
}

func TestHosts(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "example.com": "example.com", "Example.COM": "example.com", "example.com:80": "example.com",
		"example.com.": "example.com", "EXAMPLE.com.:443": "example.com", "[2001:DB8::1]:80": "[2001:db8::1]",
		"[2001:db8::1]": "[2001:db8::1]", "2001:db8::1": "2001:db8::1", "192.0.2.1:8080": "192.0.2.1",
	} {
		if got := normalHost(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}

// FuzzNormalPath: every path comes out rooted and clean, and stays as it is the
// second time.
func FuzzNormalPath(f *testing.F) {
	for _, path := range []string{"", "/", "//a", "/./a/../%2e%2e/b/", "http://h/a", "*", "/a?b", "/%2e", "/%zz/%", "/.well-known/x"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		once := normalPath(path)
		if once == "" || once[0] != '/' || strings.Contains(once, "//") || strings.Contains(once+"/", "/../") || strings.Contains(once+"/", "/./") {
			t.Errorf("%q becomes %q", path, once)
		}
		if twice := normalPath(once); twice != once {
			t.Errorf("%q becomes %q and then %q", path, once, twice)
		}
	})
}
