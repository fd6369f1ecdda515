package child

import (
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// Start starts a command that has not been started.
//
// The kernel ends it with the thread that started it, so that is one which stays.
func Start(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	starter.once.Do(func() { go starter.run() })
	started := make(chan error)
	starter.commands <- starting{cmd, started}
	return <-started
}

type starting struct {
	cmd     *exec.Cmd
	started chan<- error
}

type startThread struct {
	once     sync.Once
	commands chan starting
}

var starter = startThread{commands: make(chan starting)}

func (s *startThread) run() {
	runtime.LockOSThread()
	for c := range s.commands {
		c.started <- c.cmd.Start()
	}
}
