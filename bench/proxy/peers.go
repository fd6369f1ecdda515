package main

import (
	"bufio"
	"bytes"
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

// nginx is with limit_req where its last two parts say so.
const nginx = `daemon off; pid %[1]s/nginx.pid; error_log %[1]s/nginx.log crit; worker_processes auto;
events { worker_connections 1024; }
http {
  access_log off; client_body_temp_path %[1]s/b; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
  keepalive_requests 1000000000;
  upstream up { server %[3]s; keepalive 128; keepalive_requests 1000000000; }
  %[4]s
  server { listen %[2]s; location / { %[5]s proxy_pass http://up; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $host; proxy_set_header X-Forwarded-For $remote_addr; } }
}
`

// limited is one limit by API key that nobody reaches, and one by X-Setup, a field
// that only check sends, to see that such limits work: nginx counts no request
// without it.
var limited = [2]string{
	"limit_req_zone $http_x_api_key zone=callers:10m rate=1000000r/s; limit_req_zone $http_x_setup zone=setup:1m rate=1r/m;",
	"limit_req zone=callers burst=1000000 nodelay; limit_req zone=setup;",
}

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
		return b.startNginx(p, upstream, [2]string{})
	case "nginx-limit":
		return b.startNginx(p, upstream, limited)
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

func (b *bench) startNginx(p *peer, upstream string, limits [2]string) error {
	dir := filepath.Join(b.dir, p.name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	p.version = process.Output("nginx", "-v")
	file := b.write(p.name+".conf", fmt.Sprintf(nginx, dir, p.address, upstream, limits[0], limits[1]))
	return b.run(p, "nginx", "-p", dir, "-c", file)
}

// run starts a peer's process.
func (b *bench) run(p *peer, program string, args ...string) (err error) {
	p.pid, err = b.processes.Start(p.address, program, args...)
	return err
}

// check asks once: the answer is the upstream's, weir's has been decided by all three
// layers, and nginx's limits refuse.
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
	if err == nil && p.name == "nginx-limit" {
		return checkRefuses(c)
	}
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

// checkRefuses wants the second of two requests of one a minute refused.
func checkRefuses(c net.Conn) error {
	request := bytes.Replace(requestOf(0), []byte("Accept:"), []byte("X-Setup: 1\r\nAccept:"), 1)
	answers := bufio.NewReader(c)
	for n := range 2 {
		if _, err := c.Write(request); err != nil {
			return err
		}
		if _, err := readAnswer(answers); (err != nil) != (n == 1) {
			return fmt.Errorf("set-up: of one a minute, request %d is admitted: %v", n+1, err == nil)
		}
	}
	return nil
}
