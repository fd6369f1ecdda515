package replay

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
)

// A log that comes byte by byte, so that each line overwrites the one before it, is read
// as one that comes at once.
func TestLinesThatAreOverwritten(t *testing.T) {
	for _, name := range []string{"nginx_api_9days.log.gz", "nginx_json_500.log", "caddy_json_500.log", "haproxy_http_500.log"} {
		t.Run(name, func(t *testing.T) { sameByteByByte(t, plainLog(t, name)) })
	}
	t.Run("w3c", func(t *testing.T) {
		sameByteByByte(t, strings.Repeat("#Fields: c-ip date time cs-method cs-uri-stem cs(X-Api-Key)\n"+
			strings.Repeat("203.0.113.7 2026-12-01 03:01:08 GET /a k1\n203.0.113.8 2026-12-01 03:01:09 GET /search k2\n", sampled), 2))
	})
	t.Run("broken", func(t *testing.T) {
		sameByteByByte(t, strings.Repeat(line("203.0.113.7", 1, "/")+line("www.example.com", 2, "/"), sampled)+
			strings.ReplaceAll(line("203.0.113.9", 3, "/"), `"-"`+"\n", `"cut`+"\n")+"he\"re\n"+
			"one\ntwo\nthree\n"+line("203.0.113.8", 3, "/")+strings.Repeat("four\n", 9))
	})
}

func plainLog(t *testing.T, name string) string {
	t.Helper()
	log, err := os.ReadFile("testdata/logs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(name, ".gz") {
		return string(log)
	}
	r, err := gzip.NewReader(bytes.NewReader(log))
	if err != nil {
		t.Fatal(err)
	}
	if log, err = io.ReadAll(r); err != nil {
		t.Fatal(err)
	}
	return string(log)
}

func sameByteByByte(t *testing.T, log string) {
	t.Helper()
	if got, want := reported(t, iotest.OneByteReader(strings.NewReader(log))), reported(t, strings.NewReader(log)); got != want {
		t.Errorf("byte by byte it says\n%s\nwant\n%s", got, want)
	}
}

// reported is all that the default policy's report says of a log.
func reported(t *testing.T, log io.Reader) string {
	t.Helper()
	report, err := Run(t.Context(), []Input{{"log", log}}, Options{Policy: compile(t, "")})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
