package replay

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/weirhq/weir/policy"
)

// at is an instant in µs since the Unix epoch.
func at(t *testing.T, text string) int64 {
	t.Helper()
	instant, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		t.Fatal(err)
	}
	return instant.UnixMicro()
}

// Each format in the shapes in which its documentation and real logs have it.
func TestFormats(t *testing.T) {
	tests := []struct {
		name, format, line        string
		at                        string
		ip, method, host, path    string
		clientName, header, value string
	}{
		{name: "combined", format: "combined", line: `203.0.113.7 - alice [12/May/2024:00:00:17 +0200] "GET /search?q=1 HTTP/1.1" 200 512 "https://example.com/" "curl/8.5"`,
			at: "2024-05-11T22:00:17Z", ip: "203.0.113.7", method: "GET", path: "/search"},
		{name: "common, IPv6, nothing sent", format: "common", line: `2001:db8::1 - - [29/Feb/2024:23:59:59 -0330] "HEAD / HTTP/1.0" 304 -`,
			at: "2024-03-01T03:29:59Z", ip: "2001:db8::1", method: "HEAD", path: "/"},
		{name: "a host name for an address", format: "common", line: `client.example.net - - [12/May/2024:00:00:17 +0000] "GET /a HTTP/1.1" 200 5`,
			at: "2024-05-12T00:00:17Z", method: "GET", path: "/a", clientName: "client.example.net"},
		{name: "a virtual host before the address", format: "combined", line: `www.example.com:443 203.0.113.7 - - [12/May/2024:00:00:17 +0000] "POST /export HTTP/2.0" 201 5 "-" "-"`,
			at: "2024-05-12T00:00:17Z", ip: "203.0.113.7", method: "POST", host: "www.example.com:443", path: "/export"},
		{name: "no request", format: "combined", line: `203.0.113.7 - - [12/May/2024:00:00:17 +0000] "-" 408 0 "-" "-"`,
			at: "2024-05-12T00:00:17Z", ip: "203.0.113.7"},
		{name: "a TLS handshake on a plain port", format: "combined", line: `203.0.113.7 - - [12/May/2024:00:00:17 +0000] "\x16\x03\x01" 400 157 "-" "-"`,
			at: "2024-05-12T00:00:17Z", ip: "203.0.113.7"},
		{name: "quotes in the path and the agent", format: "combined", line: `203.0.113.7 - - [12/May/2024:00:00:17 +0000] "GET /a\"b\x22 c HTTP/1.1" 200 5 "-" "a \"quoted\" agent"`,
			at: "2024-05-12T00:00:17Z", ip: "203.0.113.7", method: "GET", path: `/a"b" c`},
		{name: "quotes round the line", format: "combined", line: `"203.0.113.7 - - [12/May/2024:00:00:17 +0000] ""GET /a HTTP/1.1"" 200 5 ""-"" ""-"""`,
			at: "2024-05-12T00:00:17Z", ip: "203.0.113.7", method: "GET", path: "/a"},
		{name: "a user with a bracket", format: "combined", line: `203.0.113.7 - a[b [12/May/2024:00:00:17 +0000] "GET /a HTTP/1.1" 200 5 "-" "-"`,
			at: "2024-05-12T00:00:17Z", ip: "203.0.113.7", method: "GET", path: "/a"},
		{name: "a whole URL", format: "combined", line: `203.0.113.7 - - [12/May/2024:00:00:17 +0000] "GET http://api.example.com:80?x HTTP/1.1" 200 5 "-" "-"`,
			at: "2024-05-12T00:00:17Z", ip: "203.0.113.7", method: "GET", host: "api.example.com:80"},

		{name: "nginx JSON", format: "json", line: `{"time":"2026-12-01T03:01:01+00:00","msec":1796094061.329,"remote_addr":"203.0.113.7","method":"GET","uri":"/a?b","status":200,"http_x_api_key":"k1"}`,
			at: "2026-12-01T03:01:01.329Z", ip: "203.0.113.7", method: "GET", path: "/a", header: "X-Api-Key", value: "k1"},
		{name: "nginx JSON with the request line", format: "json", line: `{ "time_local": "01/Dec/2026:03:01:01 +0100", "remote_addr": "203.0.113.7", "request": "POST /a HTTP/1.1", "host": "api.example.com" }`,
			at: "2026-12-01T02:01:01Z", ip: "203.0.113.7", method: "POST", host: "api.example.com", path: "/a"},
		{name: "JSON with milliseconds and escapes", format: "json", line: `{"timestamp":1796094061329,"client_ip":"203.0.113.7","method":"GET","path":"/\u00e4\"","nested":{"a":["}",{"b":"]"}]}}`,
			at: "2026-12-01T03:01:01.329Z", ip: "203.0.113.7", method: "GET", path: `/ä"`},
		{name: "Caddy", format: "caddy", line: `{"level":"info","ts":1796094054.0025136,"logger":"http.log.access","request":{"remote_ip":"127.0.0.1","client_ip":"203.0.113.7","method":"GET","host":"api.example.com","uri":"/a","headers":{"X-Api-Key":["k1"],"Accept":["a","b"]}},"status":200}`,
			at: "2026-12-01T03:00:54.002513Z", ip: "203.0.113.7", method: "GET", host: "api.example.com", path: "/a", header: "X-Api-Key", value: "k1"},

		{name: "HAProxy", format: "haproxy", line: `203.0.113.7:56729 [01/Dec/2026:03:01:08.225] fe be/srv 0/-1/-1/-1/0 200 73 - - LR-- 4/4/0/0/0 0/0 "GET /a HTTP/1.1"`,
			at: "2026-12-01T03:01:08.225Z", ip: "203.0.113.7", method: "GET", path: "/a"},
		{name: "HAProxy behind syslog, with captures, cut", format: "haproxy", line: `Dec  1 03:01:08 lb haproxy[3421]: 2001:db8::1:56729 [01/Dec/2026:03:01:08.225] fe~ be/srv 0/0/1/2/3 200 73 - - ---- 4/4/0/0/0 0/0 {api.example.com|} {} "GET https://api.example.com/a?very-long`,
			at: "2026-12-01T03:01:08.225Z", ip: "2001:db8::1", method: "GET", host: "api.example.com", path: "/a"},
		{name: "HAProxy, a bad request", format: "haproxy", line: `203.0.113.7:56729 [01/Dec/2026:03:01:08.225] fe fe/<NOSRV> -1/-1/-1/-1/0 400 0 - - PR-- 1/1/0/0/0 0/0 "<BADREQ>"`,
			at: "2026-12-01T03:01:08.225Z", ip: "203.0.113.7"},

		{name: "Envoy", format: "envoy", line: `[2026-12-01T03:01:08.225Z] "GET /a HTTP/1.1" 200 - 0 73 1 0 "198.51.100.9, 203.0.113.7" "curl/8" "9d0c" "api.example.com" "10.0.0.2:80"`,
			at: "2026-12-01T03:01:08.225Z", ip: "203.0.113.7", method: "GET", host: "api.example.com", path: "/a"},
		{name: "ALB", format: "alb", line: `https 2026-12-01T03:01:08.225186Z app/lb/50dc6c 203.0.113.7:2817 10.0.0.1:80 0.000 0.001 0.000 200 200 34 366 "GET https://api.example.com:443/a?b HTTP/1.1" "curl/8" ECDHE TLSv1.2 arn "Root=1" "api.example.com" "-" 0 2026-12-01T03:01:08.200000Z "forward" "-" "-"`,
			at: "2026-12-01T03:01:08.225186Z", ip: "203.0.113.7", method: "GET", host: "api.example.com:443", path: "/a", header: "User-Agent", value: "curl/8"},
		{name: "ALB, no target, IPv6", format: "alb", line: `h2 2026-12-01T03:01:08.225186Z app/lb/50dc6c [2001:db8::1]:2817 - -1 -1 -1 502 - 34 366 "GET https://api.example.com:443/a HTTP/2.0" "-" - - arn "Root=1"`,
			at: "2026-12-01T03:01:08.225186Z", ip: "2001:db8::1", method: "GET", host: "api.example.com:443", path: "/a"},
		{name: "CloudFront", format: "cloudfront", line: "#Version: 1.0\n#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query cs(Cookie) x-edge-result-type x-edge-request-id x-host-header\n" +
			"2026-12-01\t03:01:08\tFRA2\t1045\t203.0.113.7\tGET\td111.cloudfront.net\t/a\t200\t-\tcurl%2F8%20x\tb=1\t-\tHit\tX\tapi.example.com",
			at: "2026-12-01T03:01:08Z", ip: "203.0.113.7", method: "GET", host: "api.example.com", path: "/a", header: "User-Agent", value: "curl/8 x"},
		{name: "IIS", format: "w3c", line: "#Software: Microsoft Internet Information Services 10.0\n#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(X-API-Key) sc-status time-taken\n" +
			"2026-12-01 03:01:08 10.0.0.1 GET /a b=1 443 - 2001:db8::1 Mozilla/5.0+(X11) k1 200 15",
			at: "2026-12-01T03:01:08Z", ip: "2001:db8::1", method: "GET", path: "/a", header: "X-Api-Key", value: "k1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			lines := strings.Split(test.line, "\n")
			f := detect(lines)
			if f == nil || f.name != test.format {
				t.Fatalf("taken for %+v", f)
			}
			var e entry
			p := f.make()
			for i, line := range lines {
				if got := p(line, &e); (got == record) != (i == len(lines)-1) {
					t.Fatalf("line %d is %v", i, got)
				}
			}
			r := newInterner(nil, 1).request(&e)
			a := attributes(&r, &newPlanner(policy.Default(), newTally()).resolver)
			if test.ip != "" && a.IP != netip.MustParseAddr(test.ip) || e.name != test.clientName {
				t.Errorf("client %v %q, want %s %q", a.IP, e.name, test.ip, test.clientName)
			}
			if e.at != at(t, test.at) {
				t.Errorf("at %s, want %s", time.UnixMicro(e.at).UTC().Format(time.RFC3339Nano), test.at)
			}
			if e.method != test.method || e.host != test.host || e.path != test.path {
				t.Errorf("%q %q %q, want %q %q %q", e.method, e.host, e.path, test.method, test.host, test.path)
			}
			if test.header != "" && e.header.Get(test.header) != test.value {
				t.Errorf("%s is %q, want %q", test.header, e.header.Get(test.header), test.value)
			}
		})
	}
}

// What is no record in any format is said to be none.
func TestNoRecords(t *testing.T) {
	for _, line := range []string{
		"", " ", "-", `"`, "[", "[]", "{", "{}", `{"a":1}`, `{"time":"now","uri":"/"}`, "#Fields:", "# a remark", "hello world",
		`203.0.113.7 - - [12/May/2024:00:00:17 +0000]`, `203.0.113.7 - - [12/May/2024:00:00:17 +0000] "GET / HTTP/1.1"`,
		`203.0.113.7 - - [12/May/2024:00:00:17 +0000] "GET / HTTP/1.1" 20`, `203.0.113.7 - - [12/Mai/2024:00:00:17 +0000] "GET / HTTP/1.1" 200 5`,
		`203.0.113.7 - - [12/May/2024:00:00:17 +00] "GET / HTTP/1.1" 200 5`, `203.0.113.7 - - [1x/May/2024:00:00:17 +0000] "GET / HTTP/1.1" 200 5`,
		`[2026-12-01T03:01:08.225Z] "GET /a HTTP/1.1" 200 - 0 73 1`, `http 2026-12-01T03:01:08Z app 203.0.113.7:1 -`, `2026-12-01 03:01:08 10.0.0.1 GET`,
		`203.0.113.7:1 [01/Dec/2026:03:01:08.225] fe be/srv`, "2026-12-01\t03:01:08\tFRA2\t1045",
	} {
		for i := range formats {
			var e entry
			if formats[i].make()(line, &e) == record {
				t.Errorf("%s reads %q as %+v", formats[i].name, line, e)
			}
		}
	}
}

func TestStamps(t *testing.T) {
	tests := []struct {
		read func(string) (int64, bool)
		text string
		want string // "" is none
	}{
		{numberStamp, "1796094061", "2026-12-01T03:01:01Z"},
		{numberStamp, "1796094061.5", "2026-12-01T03:01:01.5Z"},
		{numberStamp, "1796094061.3291234567", "2026-12-01T03:01:01.329123Z"},
		{numberStamp, "1796094061329", "2026-12-01T03:01:01.329Z"},
		{numberStamp, "1796094061329.25", "2026-12-01T03:01:01.32925Z"},
		{numberStamp, "1796094061329123", "2026-12-01T03:01:01.329123Z"},
		{numberStamp, "1796094061329123456", "2026-12-01T03:01:01.329123Z"},
		{numberStamp, "1.796094061e9", "2026-12-01T03:01:01Z"},
		{numberStamp, "NaN", ""},
		{numberStamp, "-5", ""},
		{numberStamp, "99999999999999999999999", ""},
		{isoStamp, "2026-12-01T03:01:01Z", "2026-12-01T03:01:01Z"},
		{isoStamp, "2026-12-01 03:01:01,25", "2026-12-01T03:01:01.25Z"},
		{isoStamp, "2026-12-01T03:01:01.329+05:30", "2026-11-30T21:31:01.329Z"},
		{isoStamp, "2026-12-01T03:01:01 -0100", "2026-12-01T04:01:01Z"},
		{isoStamp, "2026-13-01T03:01:01Z", ""},
		{isoStamp, "2026-12-01T03:61:01Z", ""},
		{isoStamp, "2026-12-01T03:01:01 CET", ""},
		{commonStamp, "01/Mar/2000:00:00:00 +0000", "2000-03-01T00:00:00Z"},
		{commonStamp, "31/Dec/1999:23:59:59.999999 +0000", "1999-12-31T23:59:59.999999Z"},
	}
	for _, test := range tests {
		got, ok := test.read(test.text)
		if ok != (test.want != "") || ok && got != at(t, test.want) {
			t.Errorf("%q is %d, %v, want %s", test.text, got, ok, test.want)
		}
	}
	for day := time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC); day.Year() < 2101; day = day.AddDate(0, 0, 1) {
		if got := daysSince1970(int64(day.Year()), int64(day.Month()), int64(day.Day())); got != day.Unix()/86_400 {
			t.Fatalf("%s is day %d, want %d", day, got, day.Unix()/86_400)
		}
	}
}
