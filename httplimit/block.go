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

// fields writes into a block. A field's text is appended to text and then ended.
type fields struct {
	header http.Header
	block  *block
	text   []byte
	start  int // of the field at hand
	count  int
}

// end makes what was appended since the last field the value of the named one,
// which is in canonical form.
//
// The string shares its bytes with text. They are written once: what follows is
// appended behind them, and where text has to grow, they stay where they were.
func (f *fields) end(name string) {
	value := f.text[f.start:]
	f.start = len(f.text)
	f.whole(name, unsafe.String(unsafe.SliceData(value), len(value)))
}

func (f *fields) number(name string, n int64) {
	f.text = strconv.AppendInt(f.text, n, 10)
	f.end(name)
}

func (f *fields) plain(name string, digits []byte) {
	f.text = append(f.text, digits...)
	f.end(name)
}

// whole sets a field. The slice has no room to grow into the next field's value.
func (f *fields) whole(name, value string) {
	i := f.count
	f.count++
	f.block.values[i] = value
	f.header[name] = f.block.values[i : i+1 : i+1]
}

// numbers are the figures of a result in digits: each is written several times.
type numbers struct {
	digits [64]byte // the longest int64 has 19
	ends   [3]int
}

func newNumbers(r *weir.Result) (n numbers) {
	text := n.digits[:0]
	for i, figure := range [...]int64{r.Limit, r.Remaining, ceilSeconds(r.ResetAfter)} {
		text = strconv.AppendInt(text, figure, 10)
		n.ends[i] = len(text)
	}
	return n
}

func (n *numbers) limit() []byte     { return n.digits[:n.ends[0]] }
func (n *numbers) remaining() []byte { return n.digits[n.ends[0]:n.ends[1]] }
func (n *numbers) reset() []byte     { return n.digits[n.ends[1]:n.ends[2]] }

// appendID is weir.ID.String without its allocations.
func appendID(text []byte, id weir.ID) []byte {
	const digits = "0123456789abcdef"
	for shift := 60; shift >= 0; shift -= 4 {
		text = append(text, digits[id>>shift&0xf])
	}
	return text
}
