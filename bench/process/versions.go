package process

import (
	"fmt"
	"path/filepath"
	"runtime/debug"
	"slices"
)

// Versions are lines of the modules' versions that this program is built with, and of
// weir's commit.
func Versions(modules ...string) (lines []string) {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if slices.Contains(modules, m.Path) {
				lines = append(lines, fmt.Sprintf("version %s %s", m.Path, m.Version))
			}
		}
	}
	return append(lines, "version weir "+commit(root()))
}

// root is the folder of weir's module. The working folder is somewhere in the module
// bench.
func root() string { return filepath.Dir(Output("go", "list", "-m", "-f", "{{.Dir}}")) }

func commit(dir string) string { return Output("git", "-C", dir, "describe", "--always", "--dirty") }
