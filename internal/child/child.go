// Package child starts processes that end with the one that starts them, however
// that ends: a test binary that panics or is killed runs no clean-up.
//
//	cmd := exec.Command("redis-server")
//	err := child.Start(cmd) // instead of cmd.Start()
package child
