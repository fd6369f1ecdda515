package httplimit

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/clientip"
	"github.com/weirhq/weir/policy"
)

// tokens are the credentials that authentication accepts.
func tokens(token string) bool { return token == "t1" || token == "t2" }

// B33: missing or unverified identities shared one global bucket, or got a fresh
// one for each request.
func TestB33OnlyVerifiedIdentitiesCount(t *testing.T) {
	keys := func(text string) bool { return text == "k1" }
	key := FirstOf(ByHeader("X-API-Key", keys, nil), ByIP())
	perSecond := func(t *testing.T) http.Handler {
		limiter, _ := newLimiter(t, weir.PerSecond(3))
		return New(limiter, key).Wrap(ok())
	}
	t.Run("no key", func(t *testing.T) {
		h := perSecond(t)
		if n := admits(h, 30, func() *http.Request { return from("203.0.113.1") }); n != 3 {
			t.Errorf("%d of 30 from one address were admitted", n)
		}
		if n := admits(h, 1, func() *http.Request { return from("203.0.113.2") }); n != 1 {
			t.Error("another address pays for it")
		}
	})
	t.Run("a valid token and a rotating junk key", func(t *testing.T) {
		limiter, _ := newLimiter(t, weir.PerSecond(3))
		h := New(limiter, FirstOf(ByBearer(tokens, nil), ByIP())).Wrap(ok())
		for name, h := range map[string]http.Handler{"keys are not verified by this service": h, "keys are": perSecond(t)} {
			i := 0
			n := admits(h, 30, func() *http.Request {
				i++
				return with(with(from("203.0.113.1"), "Authorization", "Bearer t1"), "X-API-Key", fmt.Sprint("junk", i))
			})
			if n != 3 {
				t.Errorf("%s: %d of 30 were admitted", name, n)
			}
		}
	})
	t.Run("trusted proxies are listed, direct peer, no X-Forwarded-For", func(t *testing.T) {
		trusted, err := clientip.ParsePrefixes([]string{"10.0.0.0/8"})
		if err != nil {
			t.Fatal(err)
		}
		behind := ByIP(Behind(clientip.Resolver{Trusted: trusted, Header: clientip.XForwardedFor}))
		for _, ip := range []string{"203.0.113.1", "10.0.0.5"} {
			if got, err := behind(from(ip)); got != ip || err != nil {
				t.Errorf("from %s the key is %q, %v", ip, got, err)
			}
		}
	})
}

// B33: no path ends in the empty key. Each key function that finds nothing is told
// apart from a caller, and what then happens is chosen.
func TestB33NoPathEndsInAnEmptyKey(t *testing.T) {
	noAddress := func(r *http.Request) *http.Request { r.RemoteAddr = "@"; return r }
	plain := func(r *http.Request) *http.Request { return r }
	twice := func(r *http.Request) *http.Request {
		r.Header["X-Api-Key"] = []string{"k1", "k2"}
		return r
	}
	for _, c := range []struct {
		name string
		key  KeyFunc
		of   func(*http.Request) *http.Request
	}{
		{"a peer on a Unix socket", ByIP(), noAddress},
		{"no header", ByHeader("X-API-Key", AnyValue, nil), plain},
		{"an empty header", ByHeader("X-API-Key", AnyValue, nil), func(r *http.Request) *http.Request { return with(r, "X-API-Key", "") }},
		{"a header that stands there twice", ByHeader("X-API-Key", AnyValue, nil), twice},
		{"another scheme", ByBearer(AnyValue, nil), func(r *http.Request) *http.Request { return with(r, "Authorization", "Basic dDE6") }},
		{"a scheme without a token", ByBearer(AnyValue, nil), func(r *http.Request) *http.Request { return with(r, "Authorization", "Bearer ") }},
		{"none of several", FirstOf(ByBearer(AnyValue, nil), ByIP()), noAddress},
		{"none of none", FirstOf(), plain},
		{"a function of one's own", func(*http.Request) (string, error) { return "", nil }, plain},
	} {
		t.Run(c.name, func(t *testing.T) {
			limiter, _ := newLimiter(t, weir.PerMinute(1), perMinute)
			handler := ok()
			request := func() *http.Request { return c.of(from("203.0.113.1")) }
			if n := admits(New(limiter, c.key).Wrap(handler), 3, request); n != 0 || handler.runs() != 0 {
				t.Errorf("%d of 3 were admitted", n)
			}
			if n := admits(New(limiter, c.key, WithUnknownUncounted()).Wrap(handler), 3, request); n != 3 {
				t.Errorf("%d of 3 passed uncounted", n)
			}
			if got := ask(t, limiter, 1, true).Results[0]; got.Remaining != 1 {
				t.Errorf("something was charged: %+v", got)
			}
		})
	}
}

// B65: the limiter ran before authentication, so plans never applied and everyone
// was anonymous. The keys that are valid are known to the limit itself, by a table;
// what costs runs behind it.
func TestB65PlansApplyBeforeAuthentication(t *testing.T) {
	valid := func(key string) bool { return key == "pro1" || key == "pro2" }
	byKey := ByHeader("X-API-Key", valid, nil)
	isPro := func(r *http.Request) bool { key, _ := byKey(r); return key != "" }

	// Two limits, each for its own callers.
	anonymous, _ := newLimiter(t, weir.PerMinute(20), perMinute)
	pro, _ := newLimiter(t, weir.PerMinute(100), perMinute)
	costly := ok()
	checkPlans(t, "two limits", costly, New(anonymous, ByIP(), WithSkip(isPro)).Wrap(New(pro, byKey, WithUnknownUncounted()).Wrap(costly)))

	// The same as a policy.
	config, err := policy.Parse("weir.yaml", []byte(`
plans: {anonymous: 20/min, pro: 100/min}
clients: {plan: {pro1: pro, pro2: pro}, unknown: anonymous, missing: anonymous}
layers:
  - {name: gateway, by: client, limit: plan, algorithm: fixed-window}
`))
	if err != nil {
		t.Fatal(err)
	}
	compiled, _, err := config.Compile(policy.Options{Secret: []byte("a secret")})
	if err != nil {
		t.Fatal(err)
	}
	store, _ := newStore(t)
	decide := func(r *http.Request) (weir.Decision, error) {
		peer, _ := clientip.Peer(r.RemoteAddr)
		return compiled.Decide(r.Context(), store, &policy.Attributes{IP: peer, Method: r.Method, Host: r.Host, Path: r.URL.EscapedPath(), Header: r.Header, Cost: 1})
	}
	costly = ok()
	checkPlans(t, "a policy", costly, NewFunc(store, decide).Wrap(costly))
}

func checkPlans(t *testing.T, name string, costly *answering, h http.Handler) {
	t.Helper()
	as := func(key string) func() *http.Request {
		return func() *http.Request { return with(from("203.0.113.1"), "X-API-Key", key) }
	}
	if n := admits(h, 120, as("pro1")); n != 100 {
		t.Errorf("%s: pro: %d admitted, want 100", name, n)
	}
	if n := admits(h, 120, as("pro2")); n != 100 {
		t.Errorf("%s: a second one behind the same address: %d admitted, want 100", name, n)
	}
	ran, i := costly.runs(), 0
	n := admits(h, 50, func() *http.Request { i++; return as(fmt.Sprint("junk", i))() })
	if n != 20 {
		t.Errorf("%s: invalid keys: %d admitted, want 20 in total", name, n)
	}
	if costly.runs()-ran != 20 {
		t.Errorf("%s: invalid keys reached authentication %d times", name, costly.runs()-ran)
	}
}
