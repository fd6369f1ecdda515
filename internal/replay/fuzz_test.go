package replay

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/weirhq/weir/clientip"
	"github.com/weirhq/weir/policy"
)

// No line breaks a parser.
func FuzzLines(f *testing.F) {
	for _, name := range []string{"caddy_json_500.log", "nginx_json_500.log", "haproxy_http_500.log", "nginx_combined_500.log"} {
		log, err := os.ReadFile("testdata/logs/" + name)
		if err != nil {
			f.Fatal(err)
		}
		for _, line := range strings.Split(string(log), "\n")[:3] {
			f.Add(line)
		}
	}
	f.Add(`[2026-12-01T03:01:08.225Z] "GET /a HTTP/1.1" 200 - 0 73 1 0 "198.51.100.9, 203.0.113.7" "curl/8" "9d0c" "api.example.com" "10.0.0.2:80"`)
	f.Add(`h2 2026-12-01T03:01:08.225186Z app/lb/50dc6c [2001:db8::1]:2817 - -1 -1 -1 502 - 34 366 "GET https://a:443/a HTTP/2.0" "-" - - arn`)
	f.Add("#Fields: date time c-ip cs-method cs-uri-stem\n2026-12-01 03:01:08 203.0.113.7 GET /a")
	resolver := &clientip.Resolver{Header: clientip.XForwardedFor}
	intern := newInterner(policy.Default().Headers(), 1)
	f.Fuzz(func(t *testing.T, text string) {
		for i := range formats {
			p := formats[i].make()
			for line := range strings.SplitSeq(text, "\n") {
				var e entry
				if p(line, &e) != record {
					continue
				}
				if strings.HasPrefix(e.path, "?") || e.method != "" && !isMethod(e.method) {
					t.Errorf("%s reads %q as %+v", formats[i].name, line, e)
				}
				r := intern.request(&e)
				if a := attributes(&r, resolver); e.ip.IsValid() && !a.IP.IsValid() {
					t.Errorf("%s loses the address of %q", formats[i].name, line)
				}
			}
		}
	})
}

// What encoding/json reads, members reads as the same.
func FuzzMembers(f *testing.F) {
	f.Add(`{"a": "b\u00e4\"", "c" : [1, {"d": "}"}], "e":{}, "f":-1.5e3,"g":null }`)
	f.Add(` {}`)
	f.Add(`{"a":1,}`)
	f.Fuzz(func(t *testing.T, object string) {
		want := map[string]json.RawMessage{}
		if json.Unmarshal([]byte(object), &want) != nil || !strings.HasPrefix(trimBlank(object), "{") {
			members(object, func(_, value string) { elements(value, func(string) {}) })
			return
		}
		got := map[string]string{}
		if !members(object, func(key, value string) { got[key] = value }) {
			t.Fatalf("%q is not whole", object)
		}
		for key, value := range want {
			if got[key] != string(value) {
				t.Errorf("%q of %q is %q, want %q", key, object, got[key], value)
			}
		}
	})
}
