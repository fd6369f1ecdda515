package redisstore

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/weirhq/weir"
)

func TestKeyNames(t *testing.T) {
	s := newStore(nil, nil)
	long := strings.Repeat("x", maxPart+1)
	for _, c := range []struct {
		layer, limit, identity, want string
	}{
		{"edge", "default", "ip:203.0.113.7", "weir:{ip:203.0.113.7}:edge:default"},
		{"", "", "", "weir:{%}:%:%"},
		{"a:b", "c:d", "e:f", "weir:{e:f}:a%3Ab:c:d"},
		{"a", "b", "{x}", "weir:{%7Bx%7D}:a:b"},
		{"a", "b", "}", "weir:{%7D}:a:b"},
		{"a", "b", "100%", "weir:{100%25}:a:b"},
		{"a", "b", "\x00\xff é\n", "weir:{%00%FF%20%C3%A9%0A}:a:b"},
		{"a", "b", long, "weir:{%h" + hashed(long) + "}:a:b"},
	} {
		k := weir.Key{Layer: c.layer, Limit: c.limit, Identity: c.identity}
		if got := s.name(&k); got != c.want {
			t.Errorf("%q: %s, want %s", k, got, c.want)
		}
	}
}

func hashed(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// FuzzKeyNames looks for two keys of one name, and for a name whose hash tag is
// not the identity.
func FuzzKeyNames(f *testing.F) {
	f.Add("a", "b", "c", "a", "b:c", "")
	f.Add("a:b", "c", "d", "a", "b:c", "d")
	f.Add("", "%", "{", "%", "", "%7B")
	f.Fuzz(func(t *testing.T, l1, m1, i1, l2, m2, i2 string) {
		s := newStore(nil, nil)
		a, b := weir.Key{Layer: l1, Limit: m1, Identity: i1}, weir.Key{Layer: l2, Limit: m2, Identity: i2}
		if a != b && s.name(&a) == s.name(&b) {
			t.Errorf("%q and %q are both %s", a, b, s.name(&a))
		}
		_, rest, _ := strings.Cut(s.name(&a), "{")
		tag, _, found := strings.Cut(rest, "}")
		if !found || tag == "" || tag != written(i1) || strings.Contains(tag, "{") {
			t.Errorf("the hash tag of %s is %q", s.name(&a), tag)
		}
		if s.markerName(&a, 1, 0) == s.name(&b) {
			t.Errorf("%q has the name of a marker of %q", b, a)
		}
		if len(s.name(&a)) > 3*3*maxPart+16 {
			t.Errorf("a name of %d bytes", len(s.name(&a)))
		}
	})
}
