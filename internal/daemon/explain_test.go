package daemon

import (
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weirhq/weir/internal/front/forwardauth"
)

var update = flag.Bool("update", false, "write testdata/diagnosis.json")

const explained = `
trusted_proxies: [10.0.0.0/8, 127.0.0.1]
plans: {free: 60/min, pro: {limit: 600/min, candidate: 300/min}}
clients: {plan: {a-listed-key: pro}, unknown: deny}
layers:
  - {name: edge, by: ip, limit: 1000/min, algorithm: sliding-counter}
  - {name: gateway, by: client, limit: plan, charge: admitted}
  - {name: admin, by: ip, limit: 1/s, match: {host: admin.example}}
  - {name: endpoint, by: [client, route], routes: {/search: 2/min}}
`

func nginx(t *testing.T, config string) *service {
	t.Helper()
	s := newService(t, config)
	p, err := forwardauth.ProfileNamed("nginx")
	if err != nil {
		t.Fatal(err)
	}
	s.handler = traffic(s.engine, p)
	return s
}

func fromNginx() map[string]string {
	return map[string]string{
		"X-Real-IP": "203.0.113.7", "X-Original-Method": "GET", "X-Original-Host": "API.example:443",
		"X-Original-URI": "https://u:a-password@api.example//search?token=a-token", "X-API-Key": "a-listed-key",
		"X-Forwarded-For": "192.0.2.1", "X-Rewrite-URL": "/admin?token=a-token", "Authorization": "Bearer a-token",
	}
}

// The field names are promised in docs/http.md. A diagnosis charges nothing and
// shows no credential.
func TestDiagnosis(t *testing.T) {
	s := nginx(t, explained)
	s.spend(1, request{from: "10.0.0.1", target: "/check", header: fromNginx()})
	ask := request{from: "10.0.0.1", target: "/check?explain=1&cost=2&deny=403", header: fromNginx()}
	var first string
	for range 3 {
		a := s.send(ask)
		if a.status != http.StatusOK || a.header.Get("Content-Type") != "application/json" || a.header.Get("Cache-Control") != "no-store" {
			t.Fatalf("%d %v %s", a.status, a.header, a.body)
		}
		if first == "" {
			first = a.body
		}
		if a.body != first {
			t.Errorf("asking changed something: %s", cmp.Diff(first, a.body))
		}
	}
	for _, credential := range []string{"a-listed-key", "a-password", "a-token"} {
		if strings.Contains(first, credential) {
			t.Errorf("%s is shown: %s", credential, first)
		}
	}
	if *update {
		if err := os.WriteFile("testdata/diagnosis.json", []byte(first), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/diagnosis.json")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), first); diff != "" {
		t.Error(diff)
	}
}

// told is what tests look at in a diagnosis.
type told struct {
	Client  struct{ Address, Outcome string }
	Missing []string
	Layers  []struct {
		Name string
		Why  string
	}
	Answer struct {
		Status  int
		Allowed bool
		Why     string
	}
}

func (s *service) diagnose(peer string, header map[string]string) (d told) {
	s.t.Helper()
	a := s.send(request{from: peer, target: "/check?explain=1", header: header})
	if a.status != http.StatusOK {
		s.t.Fatalf("%d %s", a.status, a.body)
	}
	a.decode(s.t, &d)
	return d
}

// The answer is the one that a check gets.
func TestDiagnosisForetellsTheAnswer(t *testing.T) {
	const lists = explained + "allow: [198.51.100.0/24]\ndeny: [192.0.2.9]\n"
	for _, c := range []struct {
		name, header, value, spent string
		status                     int
		why                        string
	}{
		{name: "as always", status: 200, why: "Every layer that counts it has room."},
		{name: "spent", spent: "yes", status: 429, why: "Wait as long as Retry-After says."},
		{name: "an unknown key", header: "X-API-Key", value: "junk", status: 403, why: "gateway: unknown API key"},
		{name: "the deny list", header: "X-Real-IP", value: "192.0.2.9", status: 403, why: "the caller is on the deny list"},
		{name: "the allow list", header: "X-Real-IP", value: "198.51.100.1", status: 200, why: "The caller is on the allow list: no layer counts it."},
		{name: "a header is missing", header: "X-Original-Method", status: 400, why: "A trusted peer did not send X-Original-Method: set it in the proxy, or choose the profile that fits the proxy."},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, header := nginx(t, lists), fromNginx()
			if c.header != "" {
				header = with(header, c.header, c.value)
			}
			if c.value == "" {
				delete(header, c.header)
			}
			if c.spent != "" {
				s.spend(2, request{from: "10.0.0.1", target: "/check", header: header})
			}
			d := s.diagnose("10.0.0.1", header)
			a := s.send(request{from: "10.0.0.1", target: "/check", header: header})
			if d.Answer.Status != c.status || d.Answer.Why != c.why || d.Answer.Allowed != (c.status == 200) {
				t.Errorf("%+v", d.Answer)
			}
			if a.status != d.Answer.Status {
				t.Errorf("the answer is %d: %s", a.status, a.body)
			}
		})
	}
}

func TestDiagnosisOfTheAddress(t *testing.T) {
	s := nginx(t, explained)
	for _, c := range []struct{ header, address, outcome string }{
		{"203.0.113.7", "203.0.113.7", "found"}, {"10.0.0.9", "10.0.0.9", "all_trusted"}, {"unknown", "10.0.0.1", "junk"}, {"::ffff:203.0.113.7", "203.0.113.7", "found"},
	} {
		d := s.diagnose("10.0.0.1", with(fromNginx(), "X-Real-IP", c.header))
		if d.Client.Address != c.address || d.Client.Outcome != c.outcome {
			t.Errorf("%s: %+v", c.header, d.Client)
		}
	}
	header := fromNginx()
	delete(header, "X-Real-IP")
	if d := s.diagnose("10.0.0.1", header); d.Client.Outcome != "absent" || len(d.Missing) != 1 || d.Missing[0] != "X-Real-Ip" {
		t.Errorf("%+v", d)
	}
}

// Loopback is not trusted by itself, and a client cannot ask through its proxy: what
// it asks is charged as without.
func TestDiagnosisIsForTrustedPeers(t *testing.T) {
	for _, profile := range []string{"plain", "nginx"} {
		d := start(t, Options{Profile: profile, Config: write(t, edge(5))})
		r, _ := http.NewRequest(http.MethodGet, d.http+"/check/search?explain=1", nil)
		if status, body := do(t, r); status != http.StatusForbidden || !strings.Contains(body, "trusted_proxies") {
			t.Errorf("%s: %d %s", profile, status, body)
		}
	}
	d := start(t, Options{Profile: "caddy", Config: write(t, "trusted_proxies: [127.0.0.1]\n"+edge(1))})
	header := map[string]string{"X-Forwarded-For": "203.0.113.7", "X-Forwarded-Method": "GET", "X-Forwarded-Host": "a", "X-Forwarded-Uri": "/?explain=1"}
	for _, want := range []int{200, 429} {
		if a := checkWith(t, d.http+"/check?explain=1", header); a.StatusCode != want || a.Header.Get("X-RateLimit-Limit") != "1" {
			t.Errorf("status %d, want %d: %v", a.StatusCode, want, a.Header)
		}
	}
	r, _ := http.NewRequest(http.MethodGet, d.http+"/check?explain=1", nil)
	for name, value := range with(header, "X-Forwarded-Uri", "/search") {
		r.Header.Set(name, value)
	}
	status, body := do(t, r)
	var got told
	if err := json.Unmarshal([]byte(body), &got); err != nil || status != http.StatusOK || got.Answer.Status != http.StatusTooManyRequests {
		t.Errorf("through a real listener: %d %s", status, body)
	}
}
