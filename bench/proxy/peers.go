package main

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/weirhq/weir/bench/process"
)

// peer is a proxy that runs, and what it did.
type peer struct {
	name, address, version string
	pid                    int // 0 has no process of its own
	turns                  []turn
}

// bench is everything that runs.
type bench struct {
	dir       string
	peers     []*peer
	processes process.Group
}

// policy is weir's default, of the same layers by the same keys, with limits that
// nobody reaches.
const policy = `plans: {free: 4000000000/min, pro: 4000000000/min}
layers:
  - {name: edge, by: ip, limit: 4000000000/min, algorithm: sliding-counter}
  - {name: gateway, by: client, limit: plan, algorithm: sliding-counter}
  - {name: endpoint, by: [client, route], algorithm: sliding-counter, routes: {/search: 4000000000/min, /export: 4000000000/min}}
`

const nginx = `daemon off; pid %[1]s/nginx.pid; error_log %[1]s/nginx.log warn; worker_processes auto;
events { worker_connections 1024; }
http {
  access_log off; client_body_temp_path %[1]s/b; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
  keepalive_requests 1000000000;
  upstream up { server %[3]s; keepalive 128; keepalive_requests 1000000000; }
  server { listen %[2]s; location / { proxy_pass http://up; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $host; proxy_set_header X-Forwarded-For $remote_addr; } }
}
`

const caddyfile = `{
	admin off
	auto_https off
}
http://%s {
	bind 127.0.0.1
	reverse_proxy %s
}
`

// start runs the upstream and every proxy that is wanted, and asks each of them
// once.
func (b *bench) start(s *settings) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	upstream := process.Free()
	if _, err := b.processes.Start(upstream, self, "child", "upstream", upstream); err != nil {
		return err
	}
	for _, name := range s.only {
		p := &peer{name: name, address: process.Free()}
		if err := b.startPeer(p, self, upstream, s); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := p.check(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		b.peers = append(b.peers, p)
	}
	return nil
}

func (b *bench) startPeer(p *peer, self, upstream string, s *settings) error {
	switch p.name {
	case "direct":
		p.address = upstream
		return nil
	case "httputil", "tuned":
		p.version = process.Output("go", "env", "GOVERSION")
		return b.run(p, self, "child", p.name, p.address, "http://"+upstream)
	case "weir":
		return b.startWeir(p, upstream)
	case "caddy":
		p.version = process.Output(s.caddy, "version")
		file := b.write("Caddyfile", fmt.Sprintf(caddyfile, ":"+process.Port(p.address), upstream))
		return b.run(p, s.caddy, "run", "--adapter", "caddyfile", "--config", file)
	case "nginx":
		p.version = process.Output("nginx", "-v")
		file := b.write("nginx.conf", fmt.Sprintf(nginx, b.dir, p.address, upstream))
		return b.run(p, "nginx", "-p", b.dir, "-c", file)
	default:
		return errors.New("there is no such peer")
	}
}

func (b *bench) startWeir(p *peer, upstream string) error {
	program, version, err := process.BuildWeir(b.dir)
	if err != nil {
		return err
	}
	p.version = version
	file := b.write("weir.yaml", policy)
	return b.run(p, program, "proxy", "--config", file, "--http", p.address, "--admin", "", "--grpc", "", "--resp", "", "--upstream", "http://"+upstream)
}

// run starts a peer's process.
func (b *bench) run(p *peer, program string, args ...string) (err error) {
	p.pid, err = b.processes.Start(p.address, program, args...)
	return err
}

// check asks once: the answer is the upstream's, and weir's has been decided by
// all three layers.
func (p *peer) check() error {
	c, err := net.Dial("tcp", p.address)
	if err != nil {
		return err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := c.Write(requestOf(0)); err != nil {
		return err
	}
	header, err := readAnswer(bufio.NewReader(c))
	if err != nil || p.name != "weir" {
		return err
	}
	for _, layer := range []string{`"edge"`, `"gateway"`, `"endpoint"`} {
		if !strings.Contains(header, layer+";q=4000000000;w=60") {
			return fmt.Errorf("set-up: the layer %s had no part in:\n%s", layer, header)
		}
	}
	return nil
}

func (b *bench) write(name, text string) string {
	file := filepath.Join(b.dir, name)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		panic(err) // the folder was made a moment ago
	}
	return file
}
