package weir_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// arrow says that package from may import to, and why. A package of this module
// is its folder, the root package ".". To is a folder too, or a third-party
// module's path. "DIR (tests)" stands for the _test.go files of DIR, of which
// only third-party modules are listed: they end up in go.mod, while what tests
// of this module use of each other binds nobody.
type arrow struct{ from, to, why string }

// arrows are all the imports there may be. A new one is a line here, with a
// reason that a reviewer can agree or disagree with, and the same line in
// ARCHITECTURE.md: `go test -run TestArrows . -update-arrows` writes it there.
// An arrow that is no longer used is taken out again.
var arrows = []arrow{
	{".", "internal/algorithm", "a Limit is compiled to the integers that the algorithms decide on"},
	{".", "internal/memory", "the default store adapts the table of states"},
	{"internal/memory", "internal/algorithm", "the table holds the algorithms' states and calls them under its locks"},
	{"internal/algorithm/vectors", "internal/algorithm", "a vector file is run against the functions it specifies"},

	{"storetest", ".", "its contract is weir.Store"},
	{"storetest", "internal/algorithm", "the reference that a store is compared with call by call"},
	{"storetest", "internal/algorithm/vectors", "every store runs the algorithms' vectors"},

	{"policy", ".", "it resolves requests to checks, and limits from text"},
	{"policy", "clientip", "what part of an address is an identity; trusted proxies"},
	{"policy", "internal/credential", "identities of API keys that do not show them"},
	{"policy", "internal/strictyaml", "files as nodes, and syntax errors for people"},
	{"policy", "go.yaml.in/yaml/v4", "nodes with line and column; see docs/decisions.md"},

	{"httplimit", ".", "it renders a weir.Decision"},
	{"httplimit", "clientip", "whose request it is, behind trusted proxies"},
	{"httplimit", "internal/credential", "keys of API keys and tokens that show neither"},

	{"grpclimit", ".", "it asks a weir.Limiter"},
	{"grpclimit", "clientip", "whose call it is, behind trusted proxies"},
	{"grpclimit", "internal/credential", "keys of API keys and tokens that show neither"},
	{"grpclimit", "google.golang.org/grpc", "the interceptors' types, statuses and metadata"},
	{"grpclimit", "google.golang.org/genproto/googleapis/rpc", "RetryInfo and QuotaFailure, which clients know"},
	{"grpclimit", "google.golang.org/protobuf", "the duration in RetryInfo"},

	{"internal/front/forwardauth", ".", "it gets a weir.Decision"},
	{"internal/front/forwardauth", "clientip", "whose request it is, behind a trusted proxy"},
	{"internal/front/forwardauth", "httplimit", "the answer's status, fields and body"},
	{"internal/front/forwardauth", "policy", "it makes policy.Attributes"},
	{"internal/front/httpjson", ".", "it gets a weir.Decision, and an ad hoc limit is a weir.Check"},
	{"internal/front/httpjson", "clientip", "whether a peer may name a cost or a plan"},
	{"internal/front/httpjson", "httplimit", "its problem bodies"},
	{"internal/front/httpjson", "internal/receipt", "it tells a forged receipt from a failure"},
	{"internal/front/httpjson", "internal/strictjson", "clear errors for bodies that are wrong"},
	{"internal/front/httpjson", "policy", "it makes policy.Attributes"},

	{"internal/proxy", ".", "it gets a weir.Decision"},
	{"internal/proxy", "clientip", "whose request it is, behind a trusted proxy"},
	{"internal/proxy", "httplimit", "the answer's fields, and the refusal"},
	{"internal/proxy", "policy", "it makes policy.Attributes"},

	{"internal/front/resp", ".", "a command is a weir.Check"},

	{"internal/strictyaml", "go.yaml.in/yaml/v4", "nodes with line and column; see docs/decisions.md"},

	{"internal/descriptor", ".", "descriptors become checks, and a rate_limit a weir.Limit"},
	{"internal/descriptor", "internal/strictyaml", "files as nodes, and what is wrong with them"},
	{"internal/descriptor", "go.yaml.in/yaml/v4", "its nodes"},

	{"internal/front/extauthz", ".", "it gets a weir.Decision"},
	{"internal/front/extauthz", "clientip", "whose request it is, behind a trusted Envoy"},
	{"internal/front/extauthz", "httplimit", "the answer's status, fields and body"},
	{"internal/front/extauthz", "policy", "it makes policy.Attributes"},
	{"internal/front/extauthz", "github.com/envoyproxy/go-control-plane/envoy", "the messages; see docs/decisions.md"},
	{"internal/front/extauthz", "google.golang.org/genproto/googleapis/rpc", "the status within an answer"},
	{"internal/front/extauthz", "google.golang.org/grpc", "the service, and who asks"},
	{"internal/front/extauthz", "google.golang.org/protobuf", "dynamic metadata"},

	{"internal/front/envoyrls", ".", "a wait that never ends is not told"},
	{"internal/front/envoyrls", "internal/descriptor", "it makes descriptor.Request and renders its answer"},
	{"internal/front/envoyrls", "github.com/envoyproxy/go-control-plane/envoy", "the messages; see docs/decisions.md"},
	{"internal/front/envoyrls", "google.golang.org/grpc", "the service and its statuses"},
	{"internal/front/envoyrls", "google.golang.org/protobuf", "JSON, durations, structs"},

	{"internal/strictjson", ".", "the nearest known name, for a suggestion"},

	{"internal/receipt", ".", "it seals a decision's charges"},

	{"internal/trail", ".", "it remembers weir.Decision, and checks by their limits"},
	{"internal/trail", "internal/algorithm", "what each algorithm would have said, by the same functions"},
	{"internal/admin", "internal/trail", "it shows what is remembered"},
	{"internal/admin", "policy", "it shows what the policy says of a request"},
	{"internal/admin", "failover", "it exports how the shared store does"},
	{"internal/admin", "lease", "it exports what was taken ahead of it"},
	{"internal/admin", ".", "metrics count decisions and their results"},
	{"internal/admin", "internal/strictjson", "clear errors for bodies that are wrong"},
	{"internal/admin", "httplimit", "its problem bodies"},
	{"internal/admin", "github.com/prometheus/client_golang", "/metrics; see docs/decisions.md"},

	{"internal/tracing", ".", "a weir.Decision as a span, and a span for each take of a weir.Store"},
	{"internal/tracing", "go.opentelemetry.io/otel", "the SDK's errors, attributes, propagation; see docs/decisions.md"},
	{"internal/tracing", "go.opentelemetry.io/otel/trace", "spans"},
	{"internal/tracing", "go.opentelemetry.io/otel/sdk", "sampling, and the bounded queue of spans"},
	{"internal/tracing", "go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp", "spans as OTLP"},
	{"internal/tracing", "github.com/go-logr/logr", "how the SDK logs"},
	{"internal/tracing", "google.golang.org/grpc", "the traceparent of a call"},

	{"internal/browsertest", "github.com/chromedp/chromedp", "it drives Chromium; see docs/decisions.md"},
	{"internal/browsertest", "github.com/chromedp/cdproto", "the browser's events and commands"},
	{"internal/replay", ".", "the checks that it decides, their limits and groups"},
	{"internal/replay", "clientip", "the client's address behind trusted proxies"},
	{"internal/replay", "internal/algorithm", "what limits do, its own and others, by the same functions"},
	{"internal/replay", "policy", "it makes policy.Attributes of a log, which the policy decides"},

	{"internal/daemon", ".", "the engine decides checks on a store, and opens it"},
	{"internal/daemon", "clientip", "the trusted proxies of the configuration in use"},
	{"internal/daemon", "httplimit", "which fields answers carry, and the answer for a path that nobody serves"},
	{"internal/daemon", "internal/descriptor", "it loads Envoy's configuration and decides by it"},
	{"internal/daemon", "internal/front/envoyrls", "it runs the front"},
	{"internal/daemon", "google.golang.org/grpc", "the gRPC port: server, health, reflection"},
	{"internal/daemon", "internal/trail", "the engine tells it every decision"},
	{"internal/daemon", "internal/admin", "it runs the admin port"},
	{"internal/daemon", "internal/front/extauthz", "it runs the front"},
	{"internal/daemon", "internal/front/forwardauth", "it runs the front"},
	{"internal/daemon", "internal/front/httpjson", "it runs the front"},
	{"internal/daemon", "internal/proxy", "it runs the reverse proxy"},
	{"internal/daemon", "internal/front/resp", "it runs the front"},
	{"internal/daemon", "internal/receipt", "the engine seals and opens receipts"},
	{"internal/daemon", "redisstore", "it opens the shared store that a URL names"},
	{"internal/daemon", "lease", "takes of busy keys ahead, where the configuration says so"},
	{"internal/daemon", "failover", "and keeps deciding while that does not answer"},
	{"internal/daemon", "internal/tracing", "the engine traces decisions and calls of the store"},
	{"internal/daemon", "policy", "it loads and compiles the configuration"},
	{"internal/daemon", "github.com/oklog/run", "servers as actors, the first to return stops all"},

	{"cmd/weir", ".", "the nearest known word, for a suggestion"},
	{"cmd/weir", "internal/daemon", "serve is the daemon"},
	{"internal/demo", "internal/daemon", "what it shows is the daemon"},
	{"cmd/weir", "internal/demo", "demo is the daemon with an upstream and traffic"},
	{"cmd/weir", "internal/replay", "replay is a what-if on logs"},
	{"cmd/weir", "internal/descriptor", "check validates Envoy's configuration without a daemon"},
	{"cmd/weir", "internal/strictyaml", "errors that begin with their place stay so"},
	{"internal/compare", ".", "it decides one traffic by each algorithm"},
	{"cmd/weir", "internal/compare", "compare is that, on a traffic or a log's"},
	{"cmd/weir", "policy", "check validates a configuration without a daemon"},
	{"cmd/weir", "github.com/spf13/cobra", "subcommands and completion; see docs/decisions.md"},
	{"cmd/weir", "github.com/spf13/pflag", "cobra's flags, filled from the environment"},

	{"redisstore", ".", "it is a weir.Store"},
	{"redisstore", "internal/algorithm", "states as its scripts keep them, and the outcomes they stand for"},
	{"redisstore", "github.com/redis/rueidis", "the client; see docs/decisions.md"},
	{"lease", ".", "it is a weir.Store around another"},
	{"failover", ".", "it is a weir.Store around another"},
	{"failover", "github.com/sony/gobreaker/v2", "the circuit breaker; see docs/decisions.md"},
	{"internal/redistest", "internal/certtest", "certificates for servers that speak TLS"},
	{"internal/redistest", "internal/child", "servers end with a killed test binary"},
	{"internal/proxytest", "internal/child", "servers end with a killed test binary"},
	{"redisstore (tests)", "github.com/google/go-cmp", "differences of results that a person can read"},
	{"redisstore (tests)", "github.com/redis/rueidis", "they ask the server what is there"},

	{"httplimit (tests)", "github.com/google/go-cmp", "differences of header sets that a person can read"},
	{"grpclimit (tests)", "github.com/google/go-cmp", "differences of messages that a person can read"},
	{"grpclimit (tests)", "google.golang.org/grpc", "a real server and client, and its test service"},
	{"grpclimit (tests)", "google.golang.org/genproto/googleapis/rpc", "the details of a refusal"},
	{"grpclimit (tests)", "google.golang.org/protobuf", "messages are compared as such"},
	{"internal/daemon (tests)", "github.com/chromedp/chromedp", "they press keys on the dashboard"},
	{"internal/demo (tests)", "github.com/chromedp/chromedp", "they click on the dashboard"},
	{"internal/daemon (tests)", "github.com/getkin/kin-openapi", "holds a running daemon's answers against docs/api.yaml"},
	{"internal/front/extauthz (tests)", "github.com/envoyproxy/go-control-plane/envoy", "messages as Envoy sends them"},
	{"internal/front/extauthz (tests)", "google.golang.org/grpc", "who asks"},
	{"internal/front/extauthz (tests)", "google.golang.org/protobuf", "whatever bytes make a message"},
	{"internal/front/envoyrls (tests)", "github.com/envoyproxy/go-control-plane/envoy", "a real client, and messages"},
	{"internal/front/envoyrls (tests)", "github.com/google/go-cmp", "differences of answers that a person can read"},
	{"internal/front/envoyrls (tests)", "google.golang.org/grpc", "a real server and client"},
	{"internal/front/envoyrls (tests)", "google.golang.org/protobuf", "recorded requests as messages"},
	{"internal/daemon (tests)", "github.com/envoyproxy/go-control-plane/envoy", "messages for the gRPC port"},
	{"internal/daemon (tests)", "google.golang.org/grpc", "a real client of the gRPC port"},
	{"internal/daemon (tests)", "go.opentelemetry.io/proto/otlp", "a collector that reads the spans"},
	{"internal/daemon (tests)", "google.golang.org/protobuf", "the spans' messages"},
	{"internal/daemon (tests)", "github.com/google/go-cmp", "differences of header sets that a person can read"},
	{"deploy (tests)", "go.yaml.in/yaml/v4", "reads the manifests"},
	{"internal/replay (tests)", "github.com/chromedp/chromedp", "they press keys on the report's page"},
	{"internal/browsertest (tests)", "github.com/chromedp/chromedp", "they click"},
	{"cmd/weir (tests)", "github.com/rogpeppe/go-internal", "sessions with the program as scripts; see docs/decisions.md"},
}

// pure are the packages that pull no third-party module into whoever imports
// them, not through any package of this module either.
var pure = []struct{ dir, why string }{
	{".", "a library user who wants a limiter gets a limiter"},
	{"httplimit", "a middleware that a library user wraps around a handler brings nothing along"},
	{"clientip", "so that a middleware may use it"},
	{"storetest", "who writes a store runs its contract with nothing but the testing package"},
}

const module = "github.com/weirhq/weir"

var updateArrows = flag.Bool("update-arrows", false, "rewrite the list of arrows in ARCHITECTURE.md")

func TestArrowsAreListedAndUsed(t *testing.T) {
	found := imports(t)
	listed := map[[2]string]bool{}
	for _, a := range arrows {
		key := [2]string{a.from, a.to}
		switch {
		case listed[key]:
			t.Errorf("%s -> %s is listed twice", a.from, a.to)
		case !found[key]:
			t.Errorf("%s -> %s is listed, but no file imports it any more: take the line out", a.from, a.to)
		case a.why == "":
			t.Errorf("%s -> %s has no reason", a.from, a.to)
		}
		listed[key] = true
	}
	for _, key := range slices.SortedFunc(maps.Keys(found), compareArrows) {
		if !listed[key] {
			t.Errorf("new import: if it is meant, add to arrows\n\t{%q, %q, \"why\"},", key[0], key[1])
		}
	}
}

func TestArrowsOfPurePackagesStayInTheModule(t *testing.T) {
	found := imports(t)
	for _, p := range pure {
		trail := map[string]string{p.dir: p.dir} // how each package was reached
		for reached := []string{p.dir}; len(reached) > 0; reached = reached[1:] {
			for key := range found {
				from, to := key[0], key[1]
				if from != reached[0] || trail[to] != "" {
					continue
				}
				trail[to] = trail[from] + " -> " + to
				if thirdParty(to) {
					t.Errorf("%s; but %s", trail[to], p.why)
					continue
				}
				reached = append(reached, to)
			}
		}
	}
}

func TestArrowsAreInArchitecture(t *testing.T) {
	const file, begin, end = "ARCHITECTURE.md", "<!-- arrows: begin -->\n", "<!-- arrows: end -->"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := bytes.Cut(text, []byte(begin))
	block, after, ok2 := bytes.Cut(rest, []byte(end))
	if !ok || !ok2 {
		t.Fatalf("%s has no block between %q and %q", file, begin, end)
	}
	want := arrowTable()
	if string(block) == want {
		return
	}
	if !*updateArrows {
		t.Fatalf("%s does not show the arrows listed here; go test . -run TestArrows -update-arrows rewrites it\nmissing: %q\nleft over: %q",
			file, without(want, string(block)), without(string(block), want))
	}
	text = slices.Concat(before, []byte(begin), []byte(want), []byte(end), after)
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// without are the lines of a that b does not have.
func without(a, b string) []string {
	return slices.DeleteFunc(strings.Split(a, "\n"), func(line string) bool { return strings.Contains(b, line) })
}

func arrowTable() string {
	var b strings.Builder
	b.WriteString("| package | imports | because |\n|---|---|---|\n")
	for _, a := range arrows {
		fmt.Fprintf(&b, "| `%s` | `%s` | %s |\n", a.from, a.to, a.why)
	}
	return b.String()
}

// AGENTS.md, where a newcomer looks first, has a line for every package and for
// no other.
func TestPackagesAreInAgents(t *testing.T) {
	text, err := os.ReadFile("AGENTS.md")
	if err != nil {
		t.Fatal(err)
	}
	packages, told := sources(t), map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllSubmatch(text, -1) {
		dir := string(row[1])
		told[dir] = true
		if packages[dir] == nil {
			t.Errorf("AGENTS.md tells of %s, where there is no package", dir)
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		if !told[dir] {
			t.Errorf("AGENTS.md has no line for %s: it wants | `%s` | what lives there |", dir, dir)
		}
	}
}

// imports are the arrows that the module's files draw. Files are parsed whatever
// their build tags, so that what another system builds is covered too.
func imports(t *testing.T) map[[2]string]bool {
	t.Helper()
	required := requiredModules(t)
	found := map[[2]string]bool{}
	for dir, files := range sources(t) {
		for _, file := range files {
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, spec := range parsed.Imports {
				imported, _ := strconv.Unquote(spec.Path.Value)
				from, to := dir, target(imported, required)
				if strings.HasSuffix(file, "_test.go") {
					from += " (tests)"
					if !thirdParty(to) {
						continue
					}
				}
				if to != "" {
					found[[2]string{from, to}] = true
				}
			}
		}
	}
	return found
}

// target is the arrow's end for an import path: a folder of this module, a
// third-party module, or "" for the standard library.
func target(imported string, required []string) string {
	switch {
	case imported == module:
		return "."
	case strings.HasPrefix(imported, module+"/"):
		return strings.TrimPrefix(imported, module+"/")
	}
	longest := ""
	for _, m := range required {
		if (imported == m || strings.HasPrefix(imported, m+"/")) && len(m) > len(longest) {
			longest = m
		}
	}
	if first, _, _ := strings.Cut(imported, "/"); longest == "" && strings.Contains(first, ".") {
		return imported // not in go.mod: it does not build, and is named as it is
	}
	return longest
}

// thirdParty reports whether an arrow's end is another module: its first part is
// a host's name, which no folder here resembles.
func thirdParty(to string) bool {
	host, _, nested := strings.Cut(to, "/")
	return nested && strings.Contains(host, ".")
}

// requiredModules are the module paths in go.mod's require lines.
func requiredModules(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	var modules []string
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
		if len(words) >= 2 && strings.HasPrefix(words[1], "v") {
			modules = append(modules, words[0])
		}
	}
	return modules
}

// sources are the module's Go files by folder. Nested modules, testdata and
// hidden folders are not of it.
func sources(t *testing.T) map[string][]string {
	t.Helper()
	files := map[string][]string{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name != "." && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") || isModule(name)) {
				return filepath.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(name, ".go") {
			dir := path.Dir(filepath.ToSlash(name))
			files[dir] = append(files[dir], name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

func compareArrows(a, b [2]string) int { return slices.Compare(a[:], b[:]) }
