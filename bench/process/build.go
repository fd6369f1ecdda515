package process

import (
	"fmt"
	"os/exec"
	"path/filepath"
)

// BuildWeir builds this repository's weir in a folder, and says of which commit.
func BuildWeir(dir string) (program, version string, err error) {
	program = filepath.Join(dir, "weir")
	if err := build(root(), program, "./cmd/weir"); err != nil {
		return "", "", err
	}
	return program, commit(root()), nil
}

// BuildModule builds a program of another module as that module's own go.mod says:
// what it requires never meets what this module requires.
func BuildModule(dir, module, version, pkg string) (program string, err error) {
	source := Output("go", "list", "-m", "-f", "{{.Dir}}", module+"@"+version)
	if !filepath.IsAbs(source) { // not in the module cache yet
		if out, err := exec.Command("go", "mod", "download", module+"@"+version).CombinedOutput(); err != nil {
			return "", fmt.Errorf("process: download %s: %w: %s", module, err, out)
		}
		source = Output("go", "list", "-m", "-f", "{{.Dir}}", module+"@"+version)
	}
	program = filepath.Join(dir, filepath.Base(module))
	return program, build(source, program, pkg)
}

// build has no flags of its own, so that what tests have compiled is compiled already.
func build(source, program, pkg string) error {
	cmd := exec.Command("go", "build", "-buildvcs=false", "-o", program, pkg)
	cmd.Dir = source
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("process: build %s: %w: %s", pkg, err, out)
	}
	return nil
}
