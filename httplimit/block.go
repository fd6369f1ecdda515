package httplimit

import (
	"net/http"
	"strconv"
	"unsafe"

	"github.com/weirhq/weir"
)

// block is the memory of one answer's fields. An http.Header wants a slice for
// each value and a string in it; five calls of Header.Set cost 17 allocations
// and four times as much time as all fields in one block.
type block struct {
	values [7]string
	text   [208]byte // three layers and some; more takes an allocation more
}

func (b *block) fields(header http.Header) fields {
	return fields{header: header, values: b.values[:], text: b.text[:0]}
}

// fields writes into the memory of an answer. A field's text is appended to text and
// then set.
type fields struct {
	header http.Header
	values []string // that are not used yet
	text   []byte
}

// set makes text the value of the named field, which is in canonical form. The slice
// has no room to grow into the next field's value.
func (f *fields) set(name, value string) {
	f.values[0] = value
	f.header[name] = f.values[:1:1]
	f.values = f.values[1:]
}

// since is what was appended to text since that was so long. It shares its bytes with
// text, which are written once: what follows is appended behind them, and where text has
// to grow, they stay where they were.
func (f *fields) since(length int) string {
	return unsafe.String(unsafe.SliceData(f.text[length:]), len(f.text)-length)
}

// digits appends a number, and gives its digits.
func (f *fields) digits(n int64) string {
	length := len(f.text)
	f.text = strconv.AppendInt(f.text, n, 10)
	return f.since(length)
}

// numbers are the figures of a result in digits: each is in several fields, and is
// written once.
type numbers struct{ limit, remaining, reset string }

func (f *fields) numbers(r *weir.Result, c *constant) (n numbers) {
	if n.limit = c.limit; n.limit == "" || r.Limit != c.capacity {
		n.limit = f.digits(r.Limit)
	}
	n.remaining, n.reset = f.digits(r.Remaining), f.digits(ceilSeconds(r.ResetAfter))
	return n
}

// appendID is weir.ID.String without its allocations.
func appendID(text []byte, id weir.ID) []byte {
	const digits = "0123456789abcdef"
	for shift := 60; shift >= 0; shift -= 4 {
		text = append(text, digits[id>>shift&0xf])
	}
	return text
}
