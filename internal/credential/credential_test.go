package credential

import "testing"

func TestKeys(t *testing.T) {
	known := func(text string) bool { return text == "k1" || text == "a b" }
	for _, c := range []struct {
		name   string
		values []string
		secret string
		want   string
	}{
		// printf k1 | sha256sum; printf k1 | openssl dgst -sha256 -hmac 'a secret'
		{"without a secret", []string{"k1"}, "", "key:arnx6499M4j0-dWG9m6Z_Q"},
		{"with one", []string{"k1"}, "a secret", "key:OH_xEOR_PxdDfrei_NCOig"},
		{"not known", []string{"k2"}, "", ""},
		{"empty", []string{""}, "", ""},
		{"twice", []string{"k1", "k1"}, "", ""},
		{"none", nil, "", ""},
		{"a bearer token", Bearer([]string{"bEARER  k1"}), "", "key:arnx6499M4j0-dWG9m6Z_Q"},
		{"a token with a blank", Bearer([]string{"Bearer a b"}), "", NewHasher(nil).Key("a b")},
		{"another scheme", Bearer([]string{"Basic k1"}), "", ""},
		{"no scheme", Bearer([]string{"k1"}), "", ""},
		{"no token", Bearer([]string{"Bearer"}), "", ""},
		{"two tokens", Bearer([]string{"Bearer k1", "Bearer k1"}), "", ""},
	} {
		if got := KnownKey(c.values, known, NewHasher([]byte(c.secret))); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
