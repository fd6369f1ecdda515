package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weirhq/weir/bench/process"
)

// bench is everything that runs. Servers start when a contest asks for them.
type bench struct {
	settings
	dir       string
	processes process.Group
	weir      string             // program
	started   map[string]*server // by name
	versions  []string           // of what is no module of this program
	open      []interface{ Close() error }
}

// server is one that runs, and where it listens.
type server struct {
	pid                    int
	http, resp, grpc, rest string
}

// limits are weir's default policy, of the same layers by the same keys, and the
// simplest policy that there is, both with limits that nobody reaches, and which remember
// a caller until it asks again.
var limits = map[string]string{
	"default": trusting + `plans: {free: 4000000000/min, pro: 4000000000/min}
layers:
  - {name: edge, by: ip, limit: 4000000000/min, algorithm: sliding-counter}
  - {name: gateway, by: client, limit: plan, algorithm: sliding-counter}
  - {name: endpoint, by: [client, route], algorithm: sliding-counter, routes: {/search: 4000000000/min, /export: 5/day}}
`,
	"one": trusting + `layers: [{name: edge, by: ip, limit: 1000000/h, match: {path: /search}}, {name: setup, by: ip, limit: 5/day, match: {path: /setup}}]
`,
}

// trusting has callers come through a proxy that names the client.
const trusting = "trusted_proxies: [127.0.0.0/8]\nmax_keys: 4000000\n"

// descriptors is the configuration of the rate limit service.
const descriptors = `domain: bench
descriptors:
  - key: client
    rate_limit: {unit: minute, requests_per_unit: 4000000000}
  - key: setup
    rate_limit: {unit: day, requests_per_unit: 5}
`

func (b *bench) wants(name string) bool { return len(b.only) == 0 || slices.Contains(b.only, name) }

// once starts a server the first time that its name is asked for.
func (b *bench) once(name string, start func(*server) error) (*server, error) {
	if v := b.started[name]; v != nil {
		return v, nil
	}
	if b.started == nil {
		b.started = map[string]*server{}
	}
	v := &server{http: process.Free(), resp: process.Free(), grpc: process.Free(), rest: process.Free()}
	if err := start(v); err != nil {
		return nil, err
	}
	b.started[name] = v
	return v, nil
}

// startWeir starts weir with one of the policies, with all its fronts.
func (b *bench) startWeir(policy string) (*server, error) {
	return b.once("weir-"+policy, func(v *server) (err error) {
		if b.weir == "" {
			if b.weir, _, err = process.BuildWeir(b.dir); err != nil {
				return err
			}
		}
		file, envoy := b.write("weir-"+policy+".yaml", limits[policy]), b.write("envoy-"+policy+"/bench.yaml", descriptors)
		v.pid, err = b.processes.Start(v.resp, b.weir, "serve", "--config", file, "--store", "memory:", "--envoy-config", filepath.Dir(envoy),
			"--http", v.http, "--resp", v.resp, "--grpc", v.grpc, "--admin", v.rest)
		return err
	})
}

// startNothing starts a server that decides nothing.
func (b *bench) startNothing(kind string, arguments ...string) (*server, error) {
	return b.once(strings.Join(append([]string{"noop", kind}, arguments...), " "), func(v *server) error {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		v.resp, v.grpc = v.http, v.http
		v.pid, err = b.processes.Start(v.http, self, append([]string{"noop", kind, v.http}, arguments...)...)
		return err
	})
}

func (b *bench) startRedis() (*server, error) {
	return b.once("redis", func(v *server) (err error) {
		b.versions = append(b.versions, "version redis "+process.Output("redis-server", "--version"))
		v.resp, v.pid, err = b.processes.Redis(b.dir)
		return err
	})
}

func (b *bench) write(name, text string) string {
	file := filepath.Join(b.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		panic(err) // the folder was made a moment ago
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		panic(err)
	}
	return file
}

func (b *bench) close() {
	for _, c := range b.open {
		c.Close()
	}
	b.processes.Stop()
}
