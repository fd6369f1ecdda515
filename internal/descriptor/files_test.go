package descriptor_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/weirhq/weir/internal/descriptor"
)

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	mustMake(t, os.MkdirAll(filepath.Join(dir, "..2026", "hidden.yaml"), 0o700))
	mustMake(t, os.MkdirAll(filepath.Join(dir, "below.yaml"), 0o700))
	for _, name := range []string{"..2026/shop.yaml", "below.yaml/a name with\na line.yml", "b.yaml", "c.YAML", "notes.txt", "yaml"} {
		mustMake(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	mustMake(t, os.Symlink("..2026", filepath.Join(dir, "..data")))
	mustMake(t, os.Symlink("..data/shop.yaml", filepath.Join(dir, "shop.yaml")))
	mustMake(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	got, err := descriptor.Files(dir)
	want := []string{dir + "/b.yaml", dir + "/below.yaml/a name with\na line.yml", dir + "/shop.yaml"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}

// What cannot be read whole is an error: without a file its limits would be gone.
// None of it is waited for.
func TestFilesThatAreNone(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(dir string) error
		want string
	}{
		{"none", func(string) error { return nil }, "there is no .yaml or .yml file in this folder"},
		{"no folder", os.Remove, "no such file or directory"},
		{"a file in its place", func(dir string) error { os.Remove(dir); return os.WriteFile(dir, nil, 0o600) }, "not a directory"},
		{"a link to nowhere", func(dir string) error { return os.Symlink("..data/shop.yaml", dir+"/shop.yaml") }, "shop.yaml: no such file or directory"},
		{"a folder within itself", func(dir string) error { return os.Symlink(".", dir+"/again") }, "folders are nested too deep"},
		{"a pipe", func(dir string) error { return syscall.Mkfifo(dir+"/shop.yaml", 0o600) }, "shop.yaml is no regular file"},
		{"what has no end", func(dir string) error { return os.Symlink("/dev/zero", dir+"/shop.yaml") }, "shop.yaml is no regular file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "limits")
			mustMake(t, os.Mkdir(dir, 0o700))
			mustMake(t, c.make(dir))
			if names, err := descriptor.Files(dir); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%q, %v; want %s", names, err, c.want)
			}
		})
	}
}

func mustMake(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
