package daemon

import (
	"bufio"
	"net"
	"strings"
	"testing"
	"time"
)

// What is no HTTP is answered by net/http, in its own words.
func TestBadHTTPIsAnswered(t *testing.T) {
	d := start(t, Options{})
	for _, c := range []struct{ name, text, status string }{
		{"path without a slash", "GET check HTTP/1.1\r\nHost: x\r\n\r\n", "400"},
		{"a broken escape", "GET /check/%zz HTTP/1.1\r\nHost: x\r\n\r\n", "400"},
		{"a blank in the path", "GET /check/a b HTTP/1.1\r\nHost: x\r\n\r\n", "400"},
		{"no host", "GET /check HTTP/1.1\r\n\r\n", "400"},
		{"two hosts", "GET /check HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", "400"},
		{"a header without a colon", "GET /check HTTP/1.1\r\nHost: x\r\nX-API-Key\r\n\r\n", "400"},
		{"a header's name with a blank", "GET /check HTTP/1.1\r\nHost: x\r\nX API: k\r\n\r\n", "400"},
		{"a header with a zero byte", "GET /check HTTP/1.1\r\nHost: x\r\nX-API-Key: a\x00b\r\n\r\n", "400"},
		{"a header of 3 MB", "GET /check HTTP/1.1\r\nHost: x\r\nX-API-Key: " + strings.Repeat("k", 3_000_000) + "\r\n\r\n", "431"},
		{"a header of 60 kB", "GET /check HTTP/1.1\r\nHost: x\r\nX-API-Key: " + strings.Repeat("k", 60_000) + "\r\n\r\n", "200"},
		{"half a million headers", "GET /check HTTP/1.1\r\nHost: x\r\n" + strings.Repeat("A: b\r\n", 500_000) + "\r\n", "431"},
		{"a path of 3 MB", "GET /check/" + strings.Repeat("a", 3_000_000) + " HTTP/1.1\r\nHost: x\r\n\r\n", "431"},
		{"a method that is none", "G@T /check HTTP/1.1\r\nHost: x\r\n\r\n", "400"},
		{"an unknown protocol", "GET /check SPDY/3\r\nHost: x\r\n\r\n", "400"},
		{"HTTP of the future", "GET /check HTTP/9.0\r\nHost: x\r\n\r\n", "505"},
		{"no HTTP", "\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03\r\n\r\n", "400"},
		{"a negative length", "POST /v1/take HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", "400"},
		{"two lengths", "POST /v1/take HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}", "400"},
		{"chunks that are none", "POST /v1/take HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "400"},
		{"an unknown encoding", "POST /v1/take HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n", "501"},
		{"an unknown expectation", "POST /v1/take HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\nContent-Length: 0\r\n\r\n", "417"},
		{"CONNECT", "CONNECT check:80 HTTP/1.1\r\nHost: check:80\r\n\r\n", "404"},
		{"OPTIONS *", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", "200"},
		{"a whole URL", "GET http://x/check/search HTTP/1.1\r\nHost: x\r\n\r\n", "200"},
		{"HTTP/1.0", "GET /check HTTP/1.0\r\n\r\n", "200"},
	} {
		t.Run(c.name, func(t *testing.T) {
			connection, err := net.Dial("tcp", strings.TrimPrefix(d.http, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer connection.Close()
			connection.SetDeadline(time.Now().Add(patience))
			go connection.Write([]byte(c.text)) // the server may answer before it has read all
			line, err := bufio.NewReader(connection).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if _, status, _ := strings.Cut(line, " "); !strings.HasPrefix(status, c.status) {
				t.Errorf("%q, want %s", strings.TrimSpace(line), c.status)
			}
		})
	}
}
