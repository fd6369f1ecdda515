//go:build !linux

package redistest

import "os/exec"

func startWithUs(cmd *exec.Cmd) error { return cmd.Start() }
