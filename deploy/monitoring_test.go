package deploy

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/weirhq/weir/internal/redistest"
)

// Each alert fires when it is to, and not else.
func TestAlerts(t *testing.T) {
	promtool(t, "", "check", "rules", "alerts.yaml")
	promtool(t, "", "test", "rules", "alerts_test.yaml")
	src, err := os.ReadFile("alerts_test.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name := range alerts(t) {
		for _, what := range []string{"alertname: " + name + "\n", "alertname: " + name + "}"} {
			if !strings.Contains(string(src), what) {
				t.Errorf("no test has %s fire, or none has it keep still", name)
			}
		}
	}
}

// What weir exports is as Prometheus wants it. Every series that the dashboard and
// the alerts ask for is one of these, with that label of that value, and every
// expression is one.
func TestMetrics(t *testing.T) {
	exported := metricsOf(t)
	promtool(t, strings.Join(exported, "\n")+"\n", "check", "metrics")
	asked := dashboard(t)
	maps.Copy(asked, alerts(t))
	if len(asked) < 20 {
		t.Fatalf("only %d expressions were found: the test looks in the wrong place", len(asked))
	}
	for name, expr := range asked {
		found := selector.FindAllStringSubmatch(expr, -1)
		if len(found) == 0 {
			t.Errorf("%s asks for nothing of weir's: %s", name, expr)
		}
		for _, s := range found {
			if !exported.has(s[1], s[2]) {
				t.Errorf("%s asks for %s, which weir does not export", name, s[0])
			}
		}
	}
	promtool(t, "", "check", "rules", recorded(t, asked))
	page, err := os.ReadFile("../docs/observability.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range exported.names() {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("docs/observability.md does not tell of %s", name)
		}
	}
}

// The panels have room of their own, and no two the same number.
func TestDashboardsPanels(t *testing.T) {
	taken := map[[2]int]string{}
	ids := map[int]bool{}
	for _, p := range readDashboard(t).Panels {
		if ids[p.ID] || p.Title == "" {
			t.Errorf("panel %d %q: again, or without a title", p.ID, p.Title)
		}
		ids[p.ID] = true
		for x := p.Pos.X; x < p.Pos.X+p.Pos.W; x++ {
			for y := p.Pos.Y; y < p.Pos.Y+p.Pos.H; y++ {
				if other := taken[[2]int{x, y}]; other != "" || x >= 24 {
					t.Fatalf("%q lies over %q, or beyond the edge", p.Title, other)
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
	}
}

// selector is a metric of weir or of its process, and what its labels must be.
var selector = regexp.MustCompile(`\b((?:weir|process)_[a-z_]+)(?:\{([^}]*)\})?`)

// recorded puts the expressions into a file of rules, with Grafana's variables
// filled in.
func recorded(t *testing.T, asked map[string]string) string {
	t.Helper()
	type rule struct{ Record, Expr string }
	var rules []rule
	fill := strings.NewReplacer("$__rate_interval", "5m", "$job", ".*", "$instance", ".*")
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		rules = append(rules, rule{fmt.Sprintf("expression:%d", len(rules)), fill.Replace(asked[name])})
	}
	src, err := yaml.Marshal(map[string]any{"groups": []any{map[string]any{"name": "asked", "rules": rules}}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "asked.yaml")
	if err := os.WriteFile(file, src, 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// alerts are the expressions of the alerts by their names.
func alerts(t *testing.T) map[string]string {
	t.Helper()
	src, err := os.ReadFile("alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Groups []struct {
			Rules []struct{ Alert, Expr string }
		}
	}
	if err := yaml.Unmarshal(src, &file); err != nil {
		t.Fatal(err)
	}
	asked := map[string]string{}
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			asked[rule.Alert] = rule.Expr
		}
	}
	return asked
}

type grafana struct {
	Panels []struct {
		ID      int
		Title   string
		Pos     struct{ X, Y, W, H int } `json:"gridPos"`
		Targets []struct{ Expr string }
	}
	Templating struct {
		List []struct{ Name, Definition string }
	}
}

func readDashboard(t *testing.T) (g grafana) {
	t.Helper()
	src, err := os.ReadFile("grafana-dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(src, &g); err != nil {
		t.Fatal(err)
	}
	return g
}

// dashboard are the expressions of the dashboard by their panels.
func dashboard(t *testing.T) map[string]string {
	t.Helper()
	asked := map[string]string{}
	for _, p := range readDashboard(t).Panels {
		for i, target := range p.Targets {
			asked[fmt.Sprint(p.Title, " ", i)] = target.Expr
		}
	}
	return asked
}

func promtool(t *testing.T, stdin string, args ...string) {
	t.Helper()
	cmd := exec.Command("promtool", args...)
	cmd.Stdin = strings.NewReader(stdin)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// watchedPolicy has a refusal of every kind.
const watchedPolicy = `
clients: {key: "header:X-API-Key", plan: {k1: free}, unknown: deny}
plans: {free: 100/min}
layers:
  - {name: trial, by: ip, limit: {limit: 1/min, shadow: true}}
  - {name: edge, by: ip, limit: 2/min}
  - {name: gateway, by: client, limit: plan}
`

// metricsOf are the lines of /metrics of a daemon on Redis that has decided
// requests of every kind, and of one in memory.
func metricsOf(t *testing.T) exposition {
	t.Helper()
	lines := runDaemon(t, "--store", "redis://"+redistest.Start(t).Addr)
	inMemory := runDaemon(t, "--store", "memory:")
	for _, name := range []string{"weir_requests_total", "weir_memory_keys", "weir_config_valid"} {
		if !inMemory.has(name, "") {
			t.Errorf("a daemon in memory does not export %s", name)
		}
	}
	return lines
}

// exposition are the lines of /metrics.
type exposition []string

// names are those of weir's own metrics.
func (e exposition) names() (names []string) {
	for _, line := range e {
		if rest, found := strings.CutPrefix(line, "# TYPE weir_"); found {
			name, _, _ := strings.Cut(rest, " ")
			names = append(names, "weir_"+name)
		}
	}
	return names
}

// has reports whether there is such a series. Of the matchers, those of labels that
// Prometheus itself adds are left out.
func (e exposition) has(name, matchers string) bool {
	return slices.ContainsFunc(e, func(line string) bool {
		rest, found := strings.CutPrefix(line, name)
		if !found || rest[0] != '{' && rest[0] != ' ' {
			return false
		}
		for m := range strings.SplitSeq(matchers, ", ") {
			label, _, _ := strings.Cut(m, "=")
			switch {
			case m == "" || label == "job" || label == "instance":
			case strings.HasSuffix(label, "!"):
				if !strings.Contains(rest, strings.TrimSuffix(label, "!")+"=") {
					return false
				}
			case !strings.Contains(rest, m):
				return false
			}
		}
		return true
	})
}

// runDaemon runs weir, asks it this and that, and returns its metrics.
func runDaemon(t *testing.T, args ...string) exposition {
	t.Helper()
	d := serve(t, append([]string{"--config", policyFile(t)}, args...)...)
	for _, key := range []string{"k1", "k1", "k1", "unknown"} {
		r, _ := http.NewRequest(http.MethodGet, "http://"+d.HTTP+"/check", nil)
		r.Header.Set("X-API-Key", key)
		fetch(t, r)
	}
	r, _ := http.NewRequest(http.MethodGet, "http://"+d.Admin+"/metrics", nil)
	return strings.Split(strings.TrimSpace(fetch(t, r)), "\n")
}

func policyFile(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "weir.yaml")
	if err := os.WriteFile(file, []byte(watchedPolicy), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func fetch(t *testing.T, r *http.Request) string {
	t.Helper()
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	body, err := io.ReadAll(a.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
