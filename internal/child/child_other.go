//go:build !linux

package child

import "os/exec"

// Start starts a command that has not been started. Other systems than Linux
// cannot end it with its parent: it stays when that is killed.
func Start(cmd *exec.Cmd) error { return cmd.Start() }
