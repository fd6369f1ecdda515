package trail

import (
	"net/netip"
	"strings"
	"time"
	"unsafe"

	"github.com/weirhq/weir"
)

// Request is what may be shown of a request: no header, and no query. The zero
// value is one about which nothing is known.
type Request struct {
	IP                 netip.Addr
	Method, Host, Path string
}

// Record is one decision as it is remembered. It is not written to again.
type Record struct {
	ID         weir.ID
	At         time.Time
	Request    Request // texts are cut to maxText bytes
	Allowed    bool
	Denied     string // as in weir.Decision
	Degraded   bool
	RetryAfter time.Duration
	// Checks and Results stand side by side; there are maxChecks at most, the
	// last enforced refusal among them.
	Checks  []weir.Check
	Results []weir.Result

	number uint64 // in its ring, from 1
	bytes  int
}

const (
	maxText   = 256 // bytes
	maxChecks = 32
)

// NewRecord copies what it needs: texts may be parts of whole requests, and would
// hold on to them.
func NewRecord(r *Request, d *weir.Decision) *Record {
	n := min(len(d.Checks), maxChecks)
	k := &Record{
		ID: d.ID, At: time.UnixMicro(d.At), Allowed: d.Allowed, Denied: d.Denied, Degraded: d.Degraded, RetryAfter: d.RetryAfter,
		Request: Request{IP: r.IP, Method: cut(r.Method), Host: cut(r.Host), Path: cut(r.Path)},
		Checks:  append([]weir.Check(nil), d.Checks[:n]...),
		Results: append([]weir.Result(nil), d.Results[:n]...),
	}
	if d.At == 0 { // nothing was checked
		k.At = time.Now()
	}
	k.bytes = int(unsafe.Sizeof(*k)) + n*int(unsafe.Sizeof(weir.Check{})+unsafe.Sizeof(weir.Result{})) +
		len(k.Request.Method) + len(k.Request.Host) + len(k.Request.Path)
	for i := range k.Checks {
		key := &k.Checks[i].Key
		key.Limit, key.Identity = cut(key.Limit), cut(key.Identity)
		k.bytes += len(key.Limit) + len(key.Identity)
	}
	return k
}

func cut(text string) string {
	if len(text) > maxText {
		return strings.ToValidUTF8(text[:maxText], "") + "…"
	}
	return strings.Clone(text)
}

// Refusing is the check that a refusal is told by: the first enforced one that
// refused, else the first in shadow; -1 where a list refused.
func (k *Record) Refusing() int {
	shadow := -1
	for i := range k.Results {
		switch {
		case k.Results[i].Allowed:
		case !isShadow(&k.Checks[i]):
			return i
		case shadow < 0:
			shadow = i
		}
	}
	if k.Denied != "" {
		return -1
	}
	return shadow
}
