package clientip_test

import (
	"strings"
	"testing"

	"github.com/weirhq/weir/clientip"
)

func TestForwarded(t *testing.T) {
	tests := []struct {
		name    string
		lines   []string
		want    string
		outcome clientip.Outcome
	}{
		// The examples of RFC 7239, sections 4, 6.3, 7.1 and 7.4.
		{"RFC: obfuscated", []string{`for="_gazonk"`}, "10.0.0.5", clientip.Junk},
		{"RFC: brackets and port", []string{`For="[2001:db8:cafe::17]:4711"`}, "2001:db8:cafe::17", clientip.Found},
		{"RFC: several parameters", []string{`for=192.0.2.60;proto=http;by=203.0.113.43`}, "192.0.2.60", clientip.Found},
		{"RFC: several elements", []string{`for=192.0.2.43, for=198.51.100.17`}, "198.51.100.17", clientip.Found},
		{"RFC: several lines", []string{`for=192.0.2.43`, `for="[2001:db8:cafe::17]"`}, "2001:db8:cafe::17", clientip.Found},
		{"RFC: unknown", []string{`for=192.0.2.43, for="[2001:db8:cafe::17]", for=unknown`}, "10.0.0.5", clientip.Junk},
		{"RFC: obfuscated nodes", []string{`for=_hidden, for=_SEVKISEK`}, "10.0.0.5", clientip.Junk},

		{"letter case", []string{`FOR=203.0.113.7;Proto=HTTP`}, "203.0.113.7", clientip.Found},
		{"any place in the element", []string{`proto=https;by=_x;for=203.0.113.7`}, "203.0.113.7", clientip.Found},
		{"trusted hops are skipped", []string{`for=1.1.1.1,for=203.0.113.7, for=10.0.0.9`, `for="10.0.0.8:80"`}, "203.0.113.7", clientip.Found},
		{"all trusted", []string{`for=10.0.0.1, for=10.0.0.2`}, "10.0.0.1", clientip.AllTrusted},
		{"junk after a trusted hop", []string{`for=203.0.113.7, for=_x, for=10.0.0.8`}, "10.0.0.8", clientip.Junk},
		{"obfuscated port", []string{`for="203.0.113.7:_port"`}, "203.0.113.7", clientip.Found},
		{"quoted without need", []string{`for="203.0.113.7"`}, "203.0.113.7", clientip.Found},
		{"needless escapes", []string{`for="\2\03.0.113\.7"`}, "203.0.113.7", clientip.Found},
		{"IPv6 without brackets", []string{`for="2001:db8::1"`}, "2001:db8::1", clientip.Found},
		{"IPv6 without quotes", []string{`for=[2001:db8::1]:443;proto=http`}, "2001:db8::1", clientip.Found},
		{"blanks around semicolons", []string{`for=203.0.113.7 ; proto=http`}, "203.0.113.7", clientip.Found},
		{"empty pairs", []string{`;;for=203.0.113.7;;`}, "203.0.113.7", clientip.Found},

		{"quoted comma", []string{`for=203.0.113.7;by="a,b, for=1.1.1.1"`}, "203.0.113.7", clientip.Found},
		{"quoted semicolon", []string{`by="x;for=1.1.1.1;";for=203.0.113.7`}, "203.0.113.7", clientip.Found},
		{"quoted quote", []string{`by="\", for=1.1.1.1;x=\"";for=203.0.113.7`}, "203.0.113.7", clientip.Found},
		{"quoted backslash", []string{`by="\\";for=203.0.113.7, by="\\\\";for=10.0.0.8`}, "203.0.113.7", clientip.Found},
		{"quoted comma in a skipped hop", []string{`for=203.0.113.7, for=10.0.0.8;host="a,b"`}, "203.0.113.7", clientip.Found},
		{"bytes above ASCII in quotes", []string{"by=\"\xff\u00e9\";for=203.0.113.7"}, "203.0.113.7", clientip.Found},

		// What a client sent must not reach into what the proxy added.
		{"open quote on the left", []string{`for=", for=203.0.113.7`}, "203.0.113.7", clientip.Found},
		{"open quote on the left of a quoted hop", []string{`x="a, for="[2001:db8::1]:443"`}, "2001:db8::1", clientip.Found},
		{"backslash on the left", []string{`for=\, for=203.0.113.7`}, "203.0.113.7", clientip.Found},
		{"open quote on the line before", []string{`for="`, `for=203.0.113.7`}, "203.0.113.7", clientip.Found},
		{"quotes do not span lines", []string{`for="203.0.113.7`, `"`}, "10.0.0.5", clientip.Junk},

		{"empty line", []string{``}, "10.0.0.5", clientip.Junk},
		{"empty element", []string{`for=203.0.113.7, `}, "10.0.0.5", clientip.Junk},
		{"only a semicolon", []string{`;`}, "10.0.0.5", clientip.Junk},
		{"no for", []string{`for=203.0.113.7, by=10.0.0.8;proto=http`}, "10.0.0.5", clientip.Junk},
		{"two for", []string{`for=203.0.113.7;for=203.0.113.7`}, "10.0.0.5", clientip.Junk},
		{"name that ends in for", []string{`xfor=203.0.113.7`}, "10.0.0.5", clientip.Junk},
		{"no value", []string{`for=`}, "10.0.0.5", clientip.Junk},
		{"empty quotes", []string{`for=""`}, "10.0.0.5", clientip.Junk},
		{"no name", []string{`=203.0.113.7`}, "10.0.0.5", clientip.Junk},
		{"no equals sign", []string{`for`}, "10.0.0.5", clientip.Junk},
		{"bare address", []string{`203.0.113.7`}, "10.0.0.5", clientip.Junk},
		{"blanks around the equals sign", []string{`for = 203.0.113.7`}, "10.0.0.5", clientip.Junk},
		{"open quote", []string{`for="203.0.113.7`}, "10.0.0.5", clientip.Junk},
		{"escape of the closing quote", []string{`for="203.0.113.7\"`}, "10.0.0.5", clientip.Junk},
		{"escape of nothing", []string{`for="203.0.113.7\`}, "10.0.0.5", clientip.Junk},
		{"escape of a line break", []string{"by=\"\\\r\";for=203.0.113.7"}, "10.0.0.5", clientip.Junk},
		{"text after the quotes", []string{`for="203.0.113.7"x`}, "10.0.0.5", clientip.Junk},
		{"escape without quotes", []string{`for=203.0.113\.7`}, "10.0.0.5", clientip.Junk},
		{"blanks in quotes", []string{`for=" 203.0.113.7"`}, "10.0.0.5", clientip.Junk},
		{"line break in quotes", []string{"by=\"\r\n\";for=203.0.113.7"}, "10.0.0.5", clientip.Junk},
		{"broken pair after a good for", []string{`for=203.0.113.7;proto`}, "10.0.0.5", clientip.Junk},
		{"long escaped value", []string{`for="` + strings.Repeat(`\1`, 500) + `"`}, "10.0.0.5", clientip.Junk},
		{"overlong element", []string{`for=203.0.113.7;by="` + strings.Repeat("x", clientip.MaxBytes) + `"`}, "10.0.0.5", clientip.Junk},
		{"overlong run of escapes", []string{`for=203.0.113.7;by="` + strings.Repeat(`\"`, clientip.MaxBytes) + `"`}, "10.0.0.5", clientip.Junk},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			check(t, trusting(t, clientip.Forwarded), proxy, tt.lines, tt.want, tt.outcome)
		})
	}
}
