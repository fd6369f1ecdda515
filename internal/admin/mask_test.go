package admin

import "testing"

func TestMaskIdentity(t *testing.T) {
	for identity, want := range map[string]string{
		"ip:203.0.113.7":             "ip:203.0…",
		"ip:2001:db8:1:2::/64":       "ip:2001:db8…",
		"key:AbCdEfGhIjKlMnOpQrStUv": "key:AbCdEfGh…",
		"ip:203.0.113.7|method:GET":  "ip:203.0…|method:GET",
		"host:api.example.com":       "host:api.example.com",
		"header:X-Tenant=acme":       "header:X-Tenant=ac…",
		"all":                        "all",
		"user:42":                    "user:4…",
		"secret-of-a-client":         "secret-o…",
		"é":                          "…",
		"":                           "…",
	} {
		if got := maskIdentity(identity); got != want {
			t.Errorf("%q: %q, want %q", identity, got, want)
		}
	}
}
