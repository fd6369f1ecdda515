package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// patience is how long a test waits for what happens at once, unless something
// is broken.
const patience = 20 * time.Second

// The binary itself, with a window that is short enough to wait for: five pass,
// the sixth is refused and is told when to come back, and then it passes. SIGTERM
// answers what is under way, and the exit code is 0.
func TestTheBinaryServesAndDrains(t *testing.T) {
	weir := startBinary(t, "layers: [{name: edge, by: ip, limit: 5/s, algorithm: fixed-window}]")
	refused := weir.spend(t)
	if wait := refused.Get("Retry-After"); wait != "1" {
		t.Errorf("Retry-After is %q", wait)
	}
	weir.waitForPeek(t)
	if status, _ := weir.check(t, ""); status != http.StatusOK {
		t.Errorf("what the peek said passes is refused: %d", status)
	}

	underWay := weir.halfATake(t)
	weir.process.Process.Signal(syscall.SIGTERM)
	weir.log.waitFor(t, "msg=draining because=terminated")
	if status := underWay(); status != http.StatusOK {
		t.Errorf("the request under way is answered %d", status)
	}
	if err := weir.process.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v\n%s", err, weir.log)
	}
	if !strings.HasSuffix(weir.log.String(), "msg=stopped\n") {
		t.Errorf("the log ends otherwise:\n%s", weir.log)
	}
}

// binary is a running weir serve.
type binary struct {
	process *exec.Cmd
	traffic string // address
	log     *output
}

func startBinary(t *testing.T, config string) *binary {
	t.Helper()
	program := filepath.Join(t.TempDir(), "weir")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	file := filepath.Join(t.TempDir(), "weir.yaml")
	writeFile(t, file, config)

	banner := newOutput()
	b := &binary{log: newOutput(), process: exec.Command(program, "serve", "--config", file, "--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0", "--resp", "127.0.0.1:0", "--admin", "127.0.0.1:0")}
	b.process.Stdout, b.process.Stderr = banner, b.log
	if err := b.process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.process.Process.Kill() })
	// The banner has the addresses that were found for port 0.
	banner.waitFor(t, "SIGHUP reloads")
	b.traffic = regexp.MustCompile(`Traffic: http://(127\.0\.0\.1:[1-9]\d*)\n`).FindStringSubmatch(banner.String())[1]
	if !regexp.MustCompile(`RESP: redis://127\.0\.0\.1:[1-9]\d*\n`).MatchString(banner.String()) {
		t.Errorf("%s", banner)
	}
	if !regexp.MustCompile(`Admin: http://127\.0\.0\.1:[1-9]\d*\n`).MatchString(banner.String()) {
		t.Errorf("%s", banner)
	}
	return b
}

// check asks for one request.
func (b *binary) check(t *testing.T, query string) (int, http.Header) {
	t.Helper()
	a, err := http.Get("http://" + b.traffic + "/check" + query)
	if err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, a.Body)
	a.Body.Close()
	return a.StatusCode, a.Header
}

// spend uses a window up: five pass and the sixth is refused. Where the window
// ends in between, the next one is taken.
func (b *binary) spend(t *testing.T) http.Header {
	t.Helper()
	for range 20 {
		_, first := b.check(t, "")
		window := first.Get("X-RateLimit-Reset")
		for passed := 1; ; passed++ {
			status, header := b.check(t, "")
			if header.Get("X-RateLimit-Reset") != window {
				break
			}
			switch {
			case status == http.StatusTooManyRequests && passed == 5:
				return header
			case status != http.StatusOK || passed == 5:
				t.Fatalf("request %d of the window: %d", passed+1, status)
			}
		}
		b.waitForPeek(t)
	}
	t.Fatal("no window was long enough for six requests")
	return nil
}

// waitForPeek asks until a request would pass.
func (b *binary) waitForPeek(t *testing.T) {
	t.Helper()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	over := time.After(patience)
	for {
		if status, _ := b.check(t, "?peek=1"); status == http.StatusOK {
			return
		}
		select {
		case <-look.C:
		case <-over:
			t.Fatal("it never passes again")
		}
	}
}

// halfATake begins a request that the daemon waits for the rest of; what it
// returns sends that and gives the status.
func (b *binary) halfATake(t *testing.T) func() int {
	t.Helper()
	const body = `{"key": "a", "limit": "5/min"}`
	connection, err := net.Dial("tcp", b.traffic)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	connection.SetDeadline(time.Now().Add(patience))
	fmt.Fprintf(connection, "POST /v1/take HTTP/1.1\r\nHost: weir\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", len(body))
	answers := bufio.NewReader(connection)
	line, err := answers.ReadString('\n') // it reads the body now
	if err != nil || !strings.HasPrefix(line, "HTTP/1.1 100") {
		t.Fatal(line, err)
	}
	answers.ReadString('\n')
	return func() int {
		io.WriteString(connection, body)
		a, err := http.ReadResponse(answers, nil)
		if err != nil {
			t.Fatal(err)
		}
		var all bytes.Buffer
		all.ReadFrom(a.Body)
		a.Body.Close()
		return a.StatusCode
	}
}
