package daemon

import (
	"crypto/sha256"
	"os"
	"slices"
)

// contents are the files that a configuration was read from, with a hash of what
// each held.
type contents []content

type content struct {
	name string
	hash [sha256.Size]byte // the zero hash: it could not be read
}

// look reads the same files again.
func (c contents) look() contents {
	var read reader
	for _, one := range c {
		read.file(one.name)
	}
	return read.contents
}

func (c contents) equal(other contents) bool { return slices.Equal(c, other) }

// reader reads files and notes what they held.
type reader struct{ contents contents }

func (r *reader) file(name string) ([]byte, error) {
	src, err := os.ReadFile(name)
	one := content{name: name}
	switch {
	case err != nil:
	case isStream(name):
		one.hash[0] = 1 // a second look would find it empty
	default:
		one.hash = sha256.Sum256(src)
	}
	r.contents = append(r.contents, one)
	return src, err
}

// isStream reports whether the file can be read once only, as in
// --config <(generate).
func isStream(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.Mode().IsRegular()
}
