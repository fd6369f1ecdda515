package resp

import "strconv"

// Replies, appended. Those whose form depends on the protocol are methods of the
// session.

func appendInteger(out []byte, n int64) []byte {
	out = append(out, ':')
	out = strconv.AppendInt(out, n, 10)
	return append(out, '\r', '\n')
}

func appendHeader(out []byte, kind byte, n int) []byte {
	out = append(out, kind)
	out = strconv.AppendInt(out, int64(n), 10)
	return append(out, '\r', '\n')
}

func appendBulk[T string | []byte](out []byte, text T) []byte {
	out = appendHeader(out, '$', len(text))
	out = append(out, text...)
	return append(out, '\r', '\n')
}

func (c *connection) ok() { c.ready = append(c.ready, "+OK\r\n"...) }

// fail is an error reply: a code in capitals, a blank, and what is wrong.
func (c *connection) fail(text string) {
	c.ready = append(c.ready, '-')
	c.ready = append(c.ready, text...)
	c.ready = append(c.ready, '\r', '\n')
}

func (c *connection) bulk(text string) { c.ready = appendBulk(c.ready, text) }

func (c *connection) integer(n int64) { c.ready = appendInteger(c.ready, n) }

func (c *connection) array(n int) { c.ready = appendHeader(c.ready, '*', n) }

// mapOf begins a map of n pairs: a flat array before RESP3.
func (c *connection) mapOf(n int) {
	if c.protocol == 3 {
		c.ready = appendHeader(c.ready, '%', n)
		return
	}
	c.array(2 * n)
}

func (c *connection) null() {
	if c.protocol == 3 {
		c.ready = append(c.ready, "_\r\n"...)
		return
	}
	c.ready = append(c.ready, "$-1\r\n"...)
}

// noArray is the null in place of an array.
func (c *connection) noArray() {
	if c.protocol == 3 {
		c.null()
		return
	}
	c.array(-1)
}
