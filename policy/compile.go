package policy

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/weirhq/weir/clientip"
	"github.com/weirhq/weir/internal/credential"
)

// Compile makes the policy that decides. The configuration is not changed and
// may be compiled again, as on a reload of its key file. The error is a
// *[ConfigErrors]; warnings are in the order of the file and come with a policy
// only.
func (c *Config) Compile(o Options) (*Policy, []Warning, error) {
	k := newCompiler(c, o)
	k.files = true
	p := k.compile()
	if len(k.errors) > 0 {
		return nil, nil, &ConfigErrors{inOrder(k.errors)}
	}
	k.warn(p)
	k.subset(p)
	return p, inOrder(k.warnings), nil
}

// compiler checks a configuration and compiles it in one walk, so that whatever
// is accepted is also compiled and the other way round.
type compiler struct {
	c *Config
	o Options

	files     bool // read the files that the configuration names
	canonical bool // write texts back in their canonical form

	errors   []ConfigError
	failed   map[string]bool // fields with an error
	warnings []Warning

	plans []string // names; a plan is an index into it
}

func newCompiler(c *Config, o Options) *compiler {
	return &compiler{c: c, o: o, failed: map[string]bool{}}
}

// fail reports a mistake in a field, unless the field could not be read at all.
// One is enough: a plan's is met again by every layer that uses the plan.
func (k *compiler) fail(path, hint, format string, args ...any) {
	if !k.c.source.unread(path) && !k.failed[path] {
		k.failed[path] = true
		k.errors = append(k.errors, k.problem(path, hint, format, args...))
	}
}

func (k *compiler) doubt(path, hint, format string, args ...any) {
	k.warnings = append(k.warnings, Warning(k.problem(path, hint, format, args...)))
}

func (k *compiler) problem(path, hint, format string, args ...any) ConfigError {
	at := k.c.source.at(path)
	return ConfigError{File: k.c.source.file, Line: at.line, Col: at.col, Path: strings.TrimSuffix(path, keySuffix), Message: fmt.Sprintf(format, args...), Hint: hint}
}

// rewrite puts a text in its canonical form.
func (k *compiler) rewrite(text *string, canonical string) {
	if k.canonical {
		*text = canonical
	}
}

func (k *compiler) compile() *Policy {
	k.tags("", reflect.ValueOf(k.c).Elem())
	k.store()
	p := &Policy{hash: credential.NewHasher(k.secret()), skipUnknownIP: k.c.UnknownIP == "skip"}
	k.prefixes("trusted_proxies", k.c.TrustedProxies)
	p.trusted, _ = k.c.Proxies()
	p.masks = k.masks()
	p.allow = k.callers("allow", k.c.Allow)
	p.deny = k.callers("deny", k.c.Deny)
	k.planNames()
	k.clients(p)
	k.layers(p)
	k.room(p.layers)
	k.knownLayers()
	return p
}

// tags checks what the tags of the fields say, for a configuration written in
// Go: [Parse] has done it while it read.
func (k *compiler) tags(path string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			k.tags(path, v.Elem())
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Struct {
			return
		}
		for i := range v.Len() {
			if key := v.Index(i).FieldByName("Key"); key.IsValid() {
				k.tags(inMap(path, key.String()), v.Index(i).FieldByName("Value"))
			} else {
				k.tags(inList(path, i), v.Index(i))
			}
		}
	case reflect.Struct:
		if list := v.FieldByName("List"); list.IsValid() {
			k.tags(path, list)
		}
		for _, f := range fieldsOf(v.Type()) {
			at := v.FieldByIndex(f.index)
			if message, hint := f.wrong(at, false); message != "" {
				k.fail(inField(path, f.name), hint, "%s", message)
			}
			k.tags(inField(path, f.name), at)
		}
	}
}

func (k *compiler) secret() []byte {
	if len(k.o.Secret) > 0 {
		return k.o.Secret
	}
	return []byte(k.c.Secret)
}

func (k *compiler) masks() clientip.Masks {
	four, six := k.c.IPv4Prefix, k.c.IPv6Prefix
	if four == 0 {
		four = clientip.DefaultIPv4Bits
	}
	if six == 0 {
		six = clientip.DefaultIPv6Bits
	}
	masks, _ := clientip.NewMasks(int(four), int(six)) // the tags hold the ranges
	return masks
}

// prefixes checks a list of addresses and CIDR prefixes one by one, so that each
// mistake has its place.
func (k *compiler) prefixes(path string, texts []string) {
	for i := range texts {
		k.prefix(inList(path, i), &texts[i])
	}
}

func (k *compiler) prefix(path string, text *string) {
	one, err := clientip.ParsePrefixes([]string{*text})
	if err != nil {
		k.fail(path, err.(*clientip.PrefixError).Err.Error(), "%s: %q is not an address or a CIDR prefix", path, *text)
		return
	}
	// An address alone is written as one.
	k.rewrite(text, strings.TrimSuffix(strings.TrimSuffix(one.String(), "/128"), "/32"))
}

// callers checks and compiles a list of addresses, prefixes and API keys.
func (k *compiler) callers(path string, texts []string) callers {
	for i := range texts {
		switch key, isKey := strings.CutPrefix(texts[i], keyPrefix); {
		case isKey && key == "":
			k.fail(inList(path, i), "write key:API-KEY", "%s: the key is empty", inList(path, i))
		case !isKey:
			k.prefix(inList(path, i), &texts[i])
		}
	}
	return newCallers(texts)
}

// room refuses a store that cannot hold what one request asks for.
func (k *compiler) room(layers []*layer) {
	most := int64(mostOf(layers))
	if k.c.MaxKeys > 0 && k.c.MaxKeys < most {
		k.fail("max_keys", fmt.Sprintf("write %d or more", max(most, fewKeys)), "max_keys is %d, and one request can need %d", k.c.MaxKeys, most)
	}
}

// mostOf is the largest number of checks that one request can meet.
func mostOf(layers []*layer) (most int) {
	for _, l := range layers {
		most += l.most()
	}
	return most
}

// knownLayers checks what Options.Layers names.
func (k *compiler) knownLayers() {
	var known []string
	for _, l := range k.c.Layers {
		known = append(known, l.Name)
	}
	for _, name := range k.o.Layers {
		if !slices.Contains(known, name) {
			k.errors = append(k.errors, ConfigError{
				Message: fmt.Sprintf("there is no layer %q to run", name), Hint: choice(name, known)})
		}
	}
}

// subset leaves the layers that Options.Layers names. Warnings come first: they
// are about the whole.
func (k *compiler) subset(p *Policy) {
	if len(k.o.Layers) > 0 {
		p.layers = slices.DeleteFunc(p.layers, func(l *layer) bool { return !slices.Contains(k.o.Layers, l.name) })
	}
	p.most = mostOf(p.layers)
}

// validName: layers' and limits' names stand in keys, headers and metrics.
func validName(text string) bool {
	return text != "" && len(text) <= 64 && text[0] != '.' && text[0] != '-' &&
		strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == ""
}

const nameHint = "a name has letters, digits, dots, dashes and underscores, at most 64"
