package replay

import (
	"encoding/binary"
	"net/http"
	"net/netip"
	"strings"
)

// maxOrigins and maxTargets are how many of them all logs together keep; one log's
// share is never below leastInterned. One more than that and all are forgotten: each
// will be made anew once, which costs no more than making it did.
const (
	maxOrigins    = 1 << 17
	maxTargets    = 1 << 14
	leastInterned = 1 << 10
)

// interner makes requests of one log's entries.
type interner struct {
	headers []string // canonical, that matter
	key     []byte

	mostOrigins, mostTargets int

	plain   []*origin          // those of which nothing is known but an IPv4 address
	indexed index              // of plain, by their addresses
	origins map[string]*origin // the others
	targets map[string]*target
	made    slab[origin]
}

func newInterner(headers []string, logs int) *interner {
	return &interner{
		headers: headers, mostOrigins: max(leastInterned, maxOrigins/logs), mostTargets: max(leastInterned, maxTargets/logs),
		origins: map[string]*origin{}, indexed: newIndex(), targets: map[string]*target{},
	}
}

func (n *interner) request(e *entry) request { return request{e.at, n.origin(e), n.target(e)} }

func (n *interner) origin(e *entry) *origin {
	alone := len(e.header) == 0 && len(e.forwarded) == 0 && e.name == "" && !e.peer.IsValid()
	if !alone || !e.ip.Is4() {
		return n.other(e, alone)
	}
	bytes := e.ip.As4()
	address := binary.BigEndian.Uint32(bytes[:])
	probe := n.indexed.probe(address)
	if place, found := probe.next(); found { // the only one: no two addresses are one hash
		return n.plain[place]
	}
	if len(n.plain) >= n.mostOrigins {
		n.indexed.clear()
		n.plain = nil
	}
	n.indexed.add(address, int32(len(n.plain)))
	n.plain = append(n.plain, n.newOrigin(e))
	return n.plain[len(n.plain)-1]
}

func (n *interner) other(e *entry, alone bool) *origin {
	n.originKey(e)
	known := n.origins[string(n.key)]
	if known == nil {
		known = n.newOrigin(e)
		if !alone {
			known.beside = &beside{e.peer, strings.Clone(e.name), cloned(e.forwarded)}
		}
		keep(n.origins, string(n.key), known, n.mostOrigins)
	}
	return known
}

func (n *interner) newOrigin(e *entry) *origin {
	made := n.made.new()
	made.ip = e.ip
	return made
}

func (n *interner) target(e *entry) *target {
	n.targetKey(e)
	known := n.targets[string(n.key)]
	if known == nil {
		known = &target{method: strings.Clone(e.method), host: strings.Clone(e.host), path: strings.Clone(e.path), header: n.read(e)}
		keep(n.targets, string(n.key), known, n.mostTargets)
	}
	return known
}

func keep[K comparable, T any](all map[K]*T, key K, one *T, most int) {
	if len(all) >= most {
		clear(all)
	}
	all[key] = one
}

func (n *interner) originKey(e *entry) {
	b := appendAddr(n.key[:0], e.ip)
	b = appendAddr(b, e.peer)
	b = appendSized(b, e.name)
	b = appendList(b, e.forwarded)
	n.key = n.appendHeaders(b, e)
}

func (n *interner) targetKey(e *entry) {
	b := appendSized(n.key[:0], e.method)
	b = appendSized(b, e.host)
	b = appendSized(b, e.path)
	n.key = n.appendHeaders(b, e)
}

func (n *interner) appendHeaders(b []byte, e *entry) []byte {
	if len(e.header) == 0 {
		return b
	}
	for _, name := range n.headers {
		b = appendList(b, e.header[name])
	}
	return b
}

func appendAddr(b []byte, a netip.Addr) []byte {
	bytes := a.As16() // 0 for none
	return appendSized(append(append(b, byte(a.BitLen())), bytes[:]...), a.Zone())
}

func appendList(b []byte, texts []string) []byte {
	b = binary.AppendUvarint(b, uint64(len(texts)))
	for _, text := range texts {
		b = appendSized(b, text)
	}
	return b
}

// appendSized appends a text so that no two lists of texts meet.
func appendSized(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// read are the headers that matter; nil for none.
func (n *interner) read(e *entry) http.Header {
	var header http.Header
	for _, name := range n.headers {
		if values := e.header[name]; len(values) > 0 {
			if header == nil {
				header = http.Header{}
			}
			header[name] = cloned(values)
		}
	}
	return header
}

// cloned keeps texts without the log that they are parts of.
func cloned(texts []string) []string {
	if len(texts) == 0 {
		return nil
	}
	own := make([]string, len(texts))
	for i, text := range texts {
		own[i] = strings.Clone(text)
	}
	return own
}
