package proxytest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// policy is what weir decides by in these tests. Limits by the hour give nothing
// back while a test runs, and each has a count that no other has, so that
// X-RateLimit-Limit tells which one decided.
const policy = `trusted_proxies: [127.0.0.1/32]
deny: [127.0.9.0/24]
clients:
  key: header:X-API-Key
  plan: {k1: pro}
plans:
  free: 7000/h
  pro: 8000/h
layers:
  - name: edge
    by: ip
    limit: 9000/h
  - name: gateway
    by: client
    limit: plan
  - name: endpoint
    by: [client, route]
    routes:
      /many: 1000/h
      /once: 1/h
      GET /method: 2/h
      POST /method: 3/h
      HEAD /method: 4/h
      /address: 5/h
      /path/{id}/end: 6/h
      /denied: {limit: 8/h, on_error: deny}
`

// Weir is a weir serve in a process of its own, behind a relay that counts
// connections to it.
type Weir struct {
	Addr string // where to ask it; stays the same when it starts again

	t       testing.TB
	front   string // the listener behind Addr, as the log calls it
	args    []string
	process *process
	relay   relay
}

// StartWeir starts a weir that is asked over HTTP and believes 127.0.0.1 the
// headers of a profile, with more flags of serve.
func StartWeir(t testing.TB, profile string, flags ...string) *Weir {
	t.Helper()
	return startWeir(t, "http", append(flags, "--profile", profile)...)
}

// StartWeirGRPC starts a weir that is asked over gRPC, with more flags of serve.
func StartWeirGRPC(t testing.TB, flags ...string) *Weir {
	t.Helper()
	return startWeir(t, "grpc", flags...)
}

func startWeir(t testing.TB, front string, flags ...string) *Weir {
	t.Helper()
	file := filepath.Join(t.TempDir(), "weir.yaml")
	if err := os.WriteFile(file, []byte(policy), 0o600); err != nil {
		t.Fatal(err)
	}
	w := &Weir{t: t, front: front, args: []string{"serve", "--config", file, "--log-format", "json"}}
	for _, listener := range []string{"http", "grpc", "resp", "admin"} {
		address := ""
		if listener == front {
			address = "127.0.0.1:0"
		}
		w.args = append(w.args, "--"+listener, address)
	}
	w.args = append(w.args, flags...)
	w.Start()
	t.Cleanup(w.relay.close)
	w.Addr = w.relay.addr
	return w
}

// Start starts weir again after Stop, with no memory of what was before.
func (w *Weir) Start() {
	w.t.Helper()
	w.process = start(w.t, "", program, w.args...)
	addr := ""
	until(w.t, 10*time.Second, func() bool {
		addr = servingAt(w.process.log.String(), w.front)
		return addr != ""
	}, "weir serves")
	w.relay.listen(w.t, addr)
}

// servingAt finds the address of a listener in the log.
func servingAt(log, listener string) string {
	for line := range strings.Lines(log) {
		var entry map[string]any
		if json.Unmarshal([]byte(line), &entry) == nil && entry["msg"] == "serving" {
			address, _ := entry[listener].(string)
			return address
		}
	}
	return ""
}

// Stop kills weir: connections to it end, and new ones are refused.
func (w *Weir) Stop() {
	w.process.kill()
	w.relay.close()
}

// Pause hangs weir: connections to it stay, new ones are made, and none is answered.
func (w *Weir) Pause() {
	w.t.Helper()
	if err := w.process.stop(); err != nil {
		w.t.Fatal(err)
	}
}

// Resume ends a Pause.
func (w *Weir) Resume() { w.process.cont() }

// Connections is how many connections were made to weir so far.
func (w *Weir) Connections() int { return w.relay.connections() }
