package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
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
	processes []*exec.Cmd
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
	upstream := free()
	if err := b.run(upstream, self, "child", "upstream", upstream); err != nil {
		return err
	}
	for _, name := range s.only {
		p := &peer{name: name, address: free()}
		if err := b.startPeer(p, self, upstream, s); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if name != "direct" {
			p.pid = b.processes[len(b.processes)-1].Process.Pid
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
		p.version = output("go", "env", "GOVERSION")
		return b.run(p.address, self, "child", p.name, p.address, "http://"+upstream)
	case "weir":
		return b.startWeir(p, upstream)
	case "caddy":
		p.version = output(s.caddy, "version")
		file := b.write("Caddyfile", fmt.Sprintf(caddyfile, ":"+port(p.address), upstream))
		return b.run(p.address, s.caddy, "run", "--adapter", "caddyfile", "--config", file)
	case "nginx":
		p.version = output("nginx", "-v")
		file := b.write("nginx.conf", fmt.Sprintf(nginx, b.dir, p.address, upstream))
		return b.run(p.address, "nginx", "-p", b.dir, "-c", file)
	default:
		return errors.New("there is no such peer")
	}
}

func (b *bench) startWeir(p *peer, upstream string) error {
	root := output("go", "list", "-m", "-f", "{{.Dir}}")
	program := filepath.Join(b.dir, "weir")
	build := exec.Command("go", "build", "-trimpath", "-o", program, "./cmd/weir")
	build.Dir = filepath.Dir(root)
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	p.version = output("git", "-C", build.Dir, "describe", "--always", "--dirty")
	file := b.write("weir.yaml", policy)
	return b.run(p.address, program, "proxy", "--config", file, "--http", p.address, "--admin", "", "--grpc", "", "--resp", "", "--upstream", "http://"+upstream)
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

// run starts a process and waits until it listens.
func (b *bench) run(address, program string, args ...string) error {
	cmd := exec.Command(program, args...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		return err
	}
	b.processes = append(b.processes, cmd)
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if c, err := net.Dial("tcp", address); err == nil {
			return c.Close()
		}
	}
	b.stop() // and with it, writing to said
	return fmt.Errorf("it does not listen on %s: %s", address, &said)
}

func (b *bench) stop() {
	for _, p := range slices.Backward(b.processes) {
		p.Process.Signal(os.Interrupt)
		p.Wait()
	}
	b.processes = nil
}

func (b *bench) write(name, text string) string {
	file := filepath.Join(b.dir, name)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		panic(err) // the folder was made a moment ago
	}
	return file
}

// free is an address that nobody listens on.
func free() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func port(address string) string {
	_, p, _ := net.SplitHostPort(address)
	return p
}

// output is what a program says of itself.
func output(program string, args ...string) string {
	out, err := exec.Command(program, args...).CombinedOutput()
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(out))
}
