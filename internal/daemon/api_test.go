package daemon

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

// api is docs/api.yaml, and what of it a running daemon was seen to do.
type api struct {
	t      *testing.T
	doc    *openapi3.T
	router routers.Router
	seen   map[string]bool // "GET /readyz 200"
}

func openAPI(t *testing.T) *api {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromFile("../../docs/api.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context()); err != nil {
		t.Fatal(err)
	}
	doc.Servers = nil // the tests' are on free ports
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		t.Fatal(err)
	}
	return &api{t, doc, router, map[string]bool{}}
}

// exchange sends a request and holds it and its answer against the document. Of
// one that is meant to be refused as bad input, only the answer has to be right.
func (a *api) exchange(method, base, path, body string, want int, header ...string) {
	a.t.Helper()
	name := fmt.Sprint(method, " ", path, " ", want)
	r, _ := http.NewRequest(method, base+path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	input := a.input(r)
	if err := openapi3filter.ValidateRequest(a.t.Context(), input); (err == nil) != (want < 400 || want == 429 || want == 401 || want == 404) && want != 413 {
		a.t.Errorf("%s: the document says of the request: %v", name, err)
	}
	r.Body = io.NopCloser(strings.NewReader(body)) // validation has read it
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		a.t.Fatal(err)
	}
	defer answer.Body.Close()
	got, err := io.ReadAll(answer.Body)
	if err != nil {
		a.t.Fatal(err)
	}
	if answer.StatusCode != want {
		a.t.Errorf("%s: status %d: %.300s", name, answer.StatusCode, got)
		return
	}
	err = openapi3filter.ValidateResponse(a.t.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input, Status: answer.StatusCode, Header: answer.Header,
		Body: io.NopCloser(bytes.NewReader(got)), Options: &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true},
	})
	if err != nil {
		a.t.Errorf("%s: the answer is not as documented: %v", name, err)
	}
	a.seen[fmt.Sprint(input.Route.Method, " ", input.Route.Path, " ", want)] = true
}

func (a *api) input(r *http.Request) *openapi3filter.RequestValidationInput {
	a.t.Helper()
	route, params, err := a.router.FindRoute(r)
	if err != nil {
		a.t.Fatalf("%s %s is not in the document: %v", r.Method, r.URL.Path, err)
	}
	return &openapi3filter.RequestValidationInput{
		Request: r, PathParams: params, Route: route,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, SkipSettingDefaults: true},
	}
}

// rest fails for what the document promises, nobody has seen and is not left out.
func (a *api) rest(leftOut func(method, path, status string) bool) {
	a.t.Helper()
	for path, item := range a.doc.Paths.Map() {
		for method, operation := range item.Operations() {
			for status := range operation.Responses.Map() {
				if one := method + " " + path + " " + status; !a.seen[one] && !leftOut(method, path, status) {
					a.t.Errorf("%s is documented, and this test has not seen it", one)
				}
			}
		}
	}
}

// docs/api.yaml says what a running daemon does, and all of that.
func TestAPIIsAsDocumented(t *testing.T) {
	a := openAPI(t)
	d := start(t, Options{Config: write(t, `
deny: ["key:banned"]
layers:
  - {name: edge, by: ip, limit: 1000/min, algorithm: sliding-counter}
  - {name: endpoint, by: [client, route], routes: {/search: 2/min}}
`)})
	a.exchange("GET", d.http, "/check", "", 200)
	a.exchange("GET", d.http, "/check?cost=2&peek=1", "", 200)
	a.exchange("GET", d.http, "/check?cost=-1", "", 400)
	a.exchange("GET", d.http, "/check?cost=1001", "", 429)
	a.exchange("GET", d.http, "/check?deny=404", "", 200)
	a.exchange("GET", d.http, "/check?accel=@api", "", 200)
	a.exchange("GET", d.http, "/check?accel=api", "", 400)

	const attributes = `{"attributes": {"ip": "203.0.113.7", "path": "/search"}}`
	a.exchange("POST", d.http, "/v1/take", attributes, 200)
	a.exchange("POST", d.http, "/v1/take", `{"key": "user:42", "limit": "100/min", "algorithm": "sliding-log", "cost": 101}`, 200)
	a.exchange("POST", d.http, "/v1/take", `{"attributes": {"ip": "203.0.113.7", "headers": {"X-API-Key": "banned"}}}`, 200)
	a.exchange("POST", d.http, "/v1/take", `{"limt": "100/min"}`, 400)
	a.exchange("POST", d.http, "/v1/take", `{"key": "`+strings.Repeat("k", 70<<10)+`", "limit": "1/s"}`, 413)
	a.exchange("POST", d.http, "/v1/take/batch", `[`+attributes+`, `+attributes+`]`, 200)
	a.exchange("POST", d.http, "/v1/take/batch", `{}`, 400)
	a.exchange("POST", d.http, "/v1/take/batch", `[`+strings.Repeat(" ", 1<<20)+`]`, 413)
	a.exchange("POST", d.http, "/v1/refund", `{"receipt": "`+d.receipt(t)+`"}`, 200)
	a.exchange("POST", d.http, "/v1/refund", `{"receit": "x"}`, 400)
	a.exchange("POST", d.http, "/v1/refund", `{"receipt": "`+strings.Repeat("r", 70<<10)+`"}`, 413)

	a.exchange("GET", d.admin, "/", "", 200)
	a.exchange("GET", d.admin, "/healthz", "", 200)
	a.exchange("GET", d.admin, "/readyz", "", 200)
	a.exchange("GET", d.admin, "/metrics", "", 200)
	a.exchange("POST", d.admin, "/v1/reset", `{"layer": "edge", "key": "203.0.113.7"}`, 200)
	a.exchange("POST", d.admin, "/v1/reset", `{"layer": "edge"}`, 400)
	a.exchange("POST", d.admin, "/v1/reset", `{"layer": "edge", "key": "~0123456789abcdef"}`, 404)
	a.exchange("POST", d.admin, "/v1/reset", `{"layer": "`+strings.Repeat("l", 70<<10)+`", "key": "k"}`, 413)

	a.exchange("GET", d.admin, "/v1/keys?layer=edge&limit=default", "", 200)
	a.exchange("GET", d.admin, "/v1/keys?layer=edge&limit=default&sort=refused&n=1", "", 200)
	a.exchange("GET", d.admin, "/v1/keys?layer=edge&key=203.0.113.7", "", 200)
	a.exchange("GET", d.admin, "/v1/keys?layer=edge&limit=hour", "", 404)
	a.exchange("GET", d.admin, "/v1/keys?layer=edge&limit=default&n=513", "", 400)
	a.exchange("GET", d.admin, "/v1/decisions?n=10", "", 200)
	a.exchange("GET", d.admin, "/v1/decisions?refused=1", "", 200)
	a.exchange("GET", d.admin, "/v1/decisions?refused=2", "", 400)
	a.exchange("GET", d.admin, "/v1/decisions/"+d.refusal(t), "", 200)
	a.exchange("GET", d.admin, "/v1/decisions/0123456789abcdef", "", 404)
	a.exchange("GET", d.admin, "/v1/decisions/last", "", 400)
	a.exchange("POST", d.admin, "/v1/explain", attributes, 200)
	a.exchange("POST", d.admin, "/v1/explain", `{"key": 1}`, 400)
	a.exchange("POST", d.admin, "/v1/explain", `{"key": "`+strings.Repeat("k", 70<<10)+`"}`, 413)
	a.exchange("GET", d.admin, "/v1/config", "", 200)
	a.exchange("GET", d.admin, "/v1/live?full=2", "", 400)

	secured := start(t, Options{Token: "hunter2hunter2"})
	for _, path := range []string{"/v1/live", "/v1/keys?layer=edge&limit=default", "/v1/decisions", "/v1/decisions/0123456789abcdef", "/v1/config"} {
		a.exchange("GET", secured.admin, path, "", 401)
	}
	a.exchange("POST", secured.admin, "/v1/explain", attributes, 401)
	a.exchange("GET", secured.admin, "/metrics", "", 401)
	a.exchange("POST", secured.admin, "/v1/reset", `{"layer": "edge", "key": "203.0.113.7"}`, 401)

	envoy := start(t, Options{EnvoyConfig: envoyFolder(t, shop(2)), EnvoyHeaders: true, EnvoyMetadata: true})
	const ann = `{"domain": "shop", "descriptors": [{"entries": [{"key": "user", "value": "ann"}], "hitsAddend": "2"}]}`
	a.exchange("POST", envoy.http, "/json", ann, 200)
	a.exchange("POST", envoy.http, "/json", ann, 429)
	a.exchange("POST", envoy.http, "/json", `{"domain": "shop", "descriptors": [{"entries": [{"key": "none"}], "limit": {"unit": "DAY"}}]}`, 429)
	a.exchange("POST", envoy.http, "/json", `{"domain": "shop", "descriptors": []}`, 400)
	a.exchange("POST", envoy.http, "/json", strings.Repeat(" ", 256<<10+1), 413)
	a.exchange("GET", envoy.http, "/healthcheck", "", 200)

	a.rest(func(method, path, status string) bool {
		switch status {
		case "405": // is for methods that are not in the document
			return true
		case "503", "403": // have tests of their own
			return true
		}
		if path == "/v1/live" && status == "200" { // has no end; see live_test.go
			return true
		}
		return path == "/check" && method != http.MethodGet // the same handler
	})
}

// receipt is that of a take.
func (r *running) receipt(t *testing.T) string {
	t.Helper()
	in, _ := http.NewRequest(http.MethodPost, r.http+"/v1/take", strings.NewReader(`{"key": "user:1", "limit": "100/min"}`))
	_, body := do(t, in)
	var taken take
	answer{body: body}.decode(t, &taken)
	return taken.Receipt
}
