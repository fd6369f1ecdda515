package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// headerRoom is above the length of any answer to a check.
const headerRoom = 4 << 10

// requestTo is what a proxy asks for one of its clients.
func requestTo(path string, caller int) []byte {
	return fmt.Appendf(nil, "GET /check%s HTTP/1.1\r\nHost: api.example\r\nX-API-Key: caller-%d\r\nX-Forwarded-For: 203.0.113.%d\r\n\r\n", path, caller, caller%250+1)
}

func (b *bench) prepareDefault(name string) (turn, error)  { return b.prepareCheck(name, "default") }
func (b *bench) prepareOneLimit(name string) (turn, error) { return b.prepareCheck(name, "one") }

func (b *bench) prepareCheck(name, policy string) (turn, error) {
	v, err := b.startWeir(policy)
	if err != nil {
		return nil, err
	}
	fields, err := fieldsOf(v.http)
	if err == nil && name == "weir" {
		err = checkRefusal(v.http, policy)
	}
	if err != nil {
		return nil, err
	}
	if name == "noop" {
		if v, err = b.startNothing("http", fields); err != nil {
			return nil, err
		}
		if same, err := fieldsOf(v.http); err != nil || len(same) != len(fields) {
			return nil, fmt.Errorf("it does not answer as weir does, but %s: %v", same, err)
		}
	}
	askers := b.askers(v.http, headerRoom)
	requests := make([][]byte, b.callers)
	for i := range requests {
		requests[i] = requestTo("/search", i)
	}
	return load{b.settings, v.pid, 1, "checks/s", func(caller int) error {
		answer, err := askers[caller].exchange(requests[caller], isHeader)
		if err == nil && !bytes.HasPrefix(answer, []byte("HTTP/1.1 200 ")) {
			err = fmt.Errorf("an answer that admits nothing:\n%s", answer)
		}
		return err
	}}.turn, nil
}

// isHeader: no answer has a body.
func isHeader(answer []byte) bool { return bytes.HasSuffix(answer, []byte("\r\n\r\n")) }

// fieldsOf are the fields of an answer that its handler sets, for a server that
// decides nothing to repeat.
func fieldsOf(address string) (string, error) {
	answer, err := ask(address, "/check/search")
	if err != nil || answer.StatusCode != http.StatusOK {
		return "", fmt.Errorf("status %d: %v", answer.StatusCode, err)
	}
	answer.Header.Del("Date")
	answer.Header.Del("Content-Length")
	text, err := json.Marshal(answer.Header)
	return string(text), err
}

func ask(address, path string) (*http.Response, error) {
	r, err := http.NewRequest("GET", "http://"+address+path, nil)
	if err != nil {
		return &http.Response{}, err
	}
	r.Header.Set("X-API-Key", "setup")
	r.Header.Set("X-Forwarded-For", "198.51.100.1")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return &http.Response{}, err
	}
	return answer, answer.Body.Close()
}

// layersOf are those that a search meets.
var layersOf = map[string][]string{"default": {"edge", "gateway", "endpoint"}, "one": {"edge"}}

// checkRefusal wants all layers to have a part in an answer, and of five a day the
// sixth to be refused.
func checkRefusal(address, policy string) error {
	path := map[string]string{"default": "/export", "one": "/setup"}[policy]
	for n := range 6 {
		answer, err := ask(address, "/check"+path)
		if err != nil || (answer.StatusCode == http.StatusTooManyRequests) != (n == 5) {
			return fmt.Errorf("check %d of 5 a day: status %d, %v", n+1, answer.StatusCode, err)
		}
	}
	answer, err := ask(address, "/check/search")
	if err != nil {
		return err
	}
	said := answer.Header.Get("RateLimit-Policy")
	if missing := slices.ContainsFunc(layersOf[policy], func(layer string) bool { return !strings.Contains(said, `"`+layer+`"`) }); missing {
		return fmt.Errorf("not all layers have a part in %s", said)
	}
	return nil
}
