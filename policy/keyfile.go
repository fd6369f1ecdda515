package policy

import (
	"os"
	"path/filepath"
)

// keyFile reads the list of keys from a file of its own.
func (k *compiler) keyFile(p *Policy, name string) {
	if !k.files {
		return
	}
	if !filepath.IsAbs(name) {
		base := k.o.BaseDir
		if base == "" {
			base = filepath.Dir(k.c.source.file)
		}
		name = filepath.Join(base, name)
	}
	p.files = append(p.files, name)
	read := k.o.ReadFile
	if read == nil {
		read = os.ReadFile
	}
	src, err := read(name)
	if err != nil {
		k.fail("clients.file", "", "%v", err)
		return
	}
	k.keys(p, name, src)
}

// keys reads a key file: API keys and the names of their plans.
func (k *compiler) keys(p *Policy, name string, src []byte) {
	root, problems := document(name, src)
	k.errors = append(k.errors, problems...)
	if root == nil {
		p.clients.listed = map[string]client{} // an empty file lists nobody
		return
	}
	d := decoder{source: source{file: name, marks: map[string]mark{}, bad: map[string]bool{}}}
	var keys Map[string]
	d.value("", root, &keys)
	k.errors = append(k.errors, d.errors...)

	// The positions are those of the key file.
	within := *k
	within.c, within.errors, within.failed = &Config{source: d.source}, nil, map[string]bool{}
	p.clients.listed = within.list(p, keys, func(i int) string { return inList("", i) })
	k.errors = append(k.errors, within.errors...)
}
