package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"google.golang.org/grpc"

	"github.com/weirhq/weir/bench/process"
)

// The predecessor tags no releases; this is its default branch of January 2026.
const (
	ratelimit        = "github.com/envoyproxy/ratelimit"
	ratelimitVersion = "v1.4.1-0.20260122083618-3fb702589d36"
)

// server is one that runs.
type server struct {
	name, address, version string
	pid                    int
	connections            []*grpc.ClientConn
}

// bench is everything that runs.
type bench struct {
	dir          string
	processes    process.Group
	redisAddress string
	redis        int // process id
	admins       []string
	weir         string // program
	ratelimit    string // program
	versions     map[string]string
	servers      []*server
}

// limits is the configuration of all that decide. Nobody reaches 4 billion a minute;
// set-up is for finding out whether they limit at all.
const limits = `domain: bench
descriptors:
  - key: client
    rate_limit: {unit: minute, requests_per_unit: 4000000000}
  - key: tenant
    rate_limit: {unit: minute, requests_per_unit: 4000000000}
  - key: route
    rate_limit: {unit: minute, requests_per_unit: 4000000000}
  - key: setup
    rate_limit: {unit: day, requests_per_unit: 5}
`

// patient has no decision of weir's made without Redis only because the machine is
// busy. A run in which one was fails.
const patient = "budget: 10s\nlayers: [{name: edge, by: ip, limit: 1000/min}]\n"

func (b *bench) start(only []string) (err error) {
	if err := b.writeAll(); err != nil {
		return err
	}
	b.redisAddress, b.redis, err = b.processes.Redis(b.dir)
	if err != nil {
		return err
	}
	b.versions = map[string]string{}
	for _, name := range only {
		v := &server{name: name, address: process.Free()}
		if err := b.startServer(v); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if v.connections, err = dial(v.address); err != nil {
			return err
		}
		b.servers = append(b.servers, v)
	}
	return nil
}

func (b *bench) writeAll() error {
	config := filepath.Join(b.dir, "config") // where the predecessor looks
	if err := os.Mkdir(config, 0o755); err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(config, "bench.yaml"), []byte(limits), 0o644),
		os.WriteFile(filepath.Join(b.dir, "weir.yaml"), []byte(patient), 0o644))
}

func (b *bench) startServer(v *server) (err error) {
	switch v.name {
	case "noop":
		self, err := os.Executable()
		if err != nil {
			return err
		}
		v.version = process.Output("go", "list", "-m", "-f", "{{.Version}}", "google.golang.org/grpc")
		v.pid, err = b.processes.Start(v.address, self, "noop", v.address)
		return err
	case "weir":
		return b.startWeir(v, "redis://"+b.redisAddress)
	case "weir-memory":
		return b.startWeir(v, "memory:")
	case "ratelimit":
		return b.startRatelimit(v)
	case "ratelimit-pipelined": // as its documentation advises for a busy service
		return b.startRatelimit(v, "REDIS_PIPELINE_WINDOW=150us", "REDIS_PIPELINE_LIMIT=8")
	default:
		return errors.New("there is no such server")
	}
}

func (b *bench) startWeir(v *server, store string) (err error) {
	if b.weir == "" {
		if b.weir, b.versions["weir"], err = process.BuildWeir(b.dir); err != nil {
			return err
		}
	}
	v.version = b.versions["weir"]
	admin := process.Free()
	b.admins = append(b.admins, admin)
	v.pid, err = b.processes.Start(v.address, b.weir, "serve", "--config", filepath.Join(b.dir, "weir.yaml"), "--store", store,
		"--envoy-config", filepath.Join(b.dir, "config"), "--grpc", v.address, "--http", "", "--resp", "", "--admin", admin)
	return err
}

func (b *bench) startRatelimit(v *server, env ...string) (err error) {
	if b.ratelimit == "" {
		if b.ratelimit, err = process.BuildModule(b.dir, ratelimit, ratelimitVersion, "./src/service_cmd"); err != nil {
			return err
		}
	}
	v.version = ratelimitVersion
	v.pid, err = b.processes.StartIn(append(env,
		"GRPC_HOST=127.0.0.1", "GRPC_PORT="+process.Port(v.address), "HOST=127.0.0.1", "PORT="+process.Port(process.Free()),
		"DEBUG_HOST=127.0.0.1", "DEBUG_PORT="+process.Port(process.Free()), "USE_STATSD=false", "LOG_LEVEL=error",
		"REDIS_SOCKET_TYPE=tcp", "REDIS_URL="+b.redisAddress, "CACHE_KEY_PREFIX="+v.name,
		"RUNTIME_ROOT="+b.dir, "RUNTIME_SUBDIRECTORY=.", "RUNTIME_WATCH_ROOT=false"), v.address, b.ratelimit)
	return err
}

// checkNothingDegraded fails a run in which weir decided anything without its store.
func (b *bench) checkNothingDegraded() error {
	for _, admin := range b.admins {
		answer, err := http.Get("http://" + admin + "/metrics")
		if err != nil {
			return err
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil {
			return err
		}
		for line := range strings.SplitSeq(string(text), "\n") {
			if n, ok := strings.CutPrefix(line, "weir_degraded_total "); ok && n != "0" {
				return fmt.Errorf("weir made %s decisions without its store", n)
			}
		}
	}
	return nil
}
