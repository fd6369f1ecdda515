package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
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
	source, err := download(module, version)
	if err != nil {
		return "", err
	}
	program = filepath.Join(dir, filepath.Base(module))
	return program, build(source, program, pkg)
}

// BuildModuleFor is BuildModule with another version of Go in a copy of the module's
// go.mod, for one that asks for a newer patch than there is here.
func BuildModuleFor(goVersion, dir, module, version, pkg string) (program string, err error) {
	source, err := download(module, version)
	if err != nil {
		return "", err
	}
	program = filepath.Join(dir, path.Base(path.Dir(module)))
	modfile := program + ".mod"
	if err := errors.Join(copyTo(modfile, source, "go.mod"), copyTo(program+".sum", source, "go.sum")); err != nil {
		return "", err
	}
	if out, err := exec.Command("go", "mod", "edit", "-go="+goVersion, modfile).CombinedOutput(); err != nil {
		return "", fmt.Errorf("process: edit %s: %w: %s", modfile, err, out)
	}
	return program, build(source, program, pkg, "-modfile="+modfile)
}

func copyTo(file, dir, name string) error {
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}

// download gives the folder of a module's source.
func download(module, version string) (source string, err error) {
	list := func() string { return Output("go", "list", "-m", "-f", "{{.Dir}}", module+"@"+version) }
	if source = list(); filepath.IsAbs(source) {
		return source, nil // in the module cache already
	}
	// It fails for a module that asks for a newer Go, once it has been downloaded.
	out, err := exec.Command("go", "mod", "download", module+"@"+version).CombinedOutput()
	if source = list(); !filepath.IsAbs(source) {
		return "", fmt.Errorf("process: download %s: %w: %s", module, err, out)
	}
	return source, nil
}

// build has no flags of its own, so that what tests have compiled is compiled already.
func build(source, program, pkg string, flags ...string) error {
	cmd := exec.Command("go", append(append([]string{"build", "-buildvcs=false", "-o", program}, flags...), pkg)...)
	cmd.Dir = source
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("process: build %s: %w: %s", pkg, err, out)
	}
	return nil
}
