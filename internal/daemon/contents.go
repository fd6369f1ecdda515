package daemon

import (
	"crypto/sha256"
	"os"
	"slices"
	"strings"

	"github.com/weirhq/weir/internal/descriptor"
)

// contents are the files that a configuration was read from, with a hash of what
// each held.
type contents []content

type content struct {
	name string
	hash [sha256.Size]byte // the zero hash: it could not be read
	// folder: what counts is the names that are in it.
	folder bool
}

// look reads the same files again. What can be read once only, as in
// --config <(generate), is taken to be as it was.
func (c contents) look() contents {
	var read reader
	for _, one := range c {
		if isStream(one.name) {
			read.contents = append(read.contents, one)
			continue
		}
		if one.folder {
			read.folder(one.name)
		} else {
			read.file(one.name)
		}
	}
	return read.contents
}

func (c contents) equal(other contents) bool { return slices.Equal(c, other) }

func isStream(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// reader reads files and notes what they held.
type reader struct{ contents contents }

func (r *reader) file(name string) ([]byte, error) {
	src, err := os.ReadFile(name)
	one := content{name: name}
	if err == nil {
		one.hash = sha256.Sum256(src)
	}
	r.contents = append(r.contents, one)
	return src, err
}

// folder lists the files of Envoy's configuration in a folder.
func (r *reader) folder(name string) ([]string, error) {
	names, err := descriptor.Files(name)
	one := content{name: name, folder: true}
	if err == nil {
		one.hash = sha256.Sum256([]byte(strings.Join(names, "\x00")))
	}
	r.contents = append(r.contents, one)
	return names, err
}
