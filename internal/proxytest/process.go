package proxytest

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/weirhq/weir/internal/child"
)

// process is a server's operating system process.
type process struct {
	cmd *exec.Cmd
	log output
}

// start starts a process in a folder, "" for the test's own, that is killed at the
// end of the test, and whose output is shown if the test fails.
func start(t testing.TB, dir, name string, args ...string) *process {
	t.Helper()
	p := &process{cmd: exec.Command(find(t, name), args...)}
	p.cmd.Dir = dir
	p.cmd.Stdout, p.cmd.Stderr = &p.log, &p.log
	if err := child.Start(p.cmd); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			t.Logf("%s said:\n%s", filepath.Base(name), p.log.String())
		}
	})
	return p
}

// find finds a program by its name, also where only root's PATH leads, and among
// the wheels that scripts/install-test-deps has put beside the tests' packages.
func find(t testing.TB, name string) string {
	t.Helper()
	wheels, err := filepath.Abs("../../.tools/venv/bin")
	if err != nil {
		t.Fatal(err)
	}
	for _, candidate := range []string{name, "/usr/sbin/" + name, filepath.Join(wheels, name)} {
		if path, err := exec.LookPath(candidate); err == nil {
			return path
		}
	}
	t.Fatalf("%s is missing: run scripts/install-test-deps", name)
	return ""
}

// kill ends the process as kill -9 does. It is safe to call twice.
func (p *process) kill() {
	if p.cmd.ProcessState == nil {
		p.cmd.Process.Kill()
		p.cmd.Wait()
	}
}

// terminate asks the process to end, and waits until it has.
func (p *process) terminate() {
	p.cmd.Process.Signal(syscall.SIGTERM)
	p.cmd.Wait()
}

// stop stops the process as Ctrl-Z does, and waits until all its threads have
// stopped: the signal alone is on its way when it is sent.
func (p *process) stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	for {
		var status syscall.WaitStatus
		_, err := syscall.Wait4(p.cmd.Process.Pid, &status, syscall.WUNTRACED, nil)
		if err != syscall.EINTR {
			return err
		}
	}
}

// cont ends a stop.
func (p *process) cont() { p.cmd.Process.Signal(syscall.SIGCONT) }

// output is what a process writes, which may be read while it writes.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}
