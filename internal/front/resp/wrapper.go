package resp

import "bytes"

// wrapper is the one script that EVAL runs: the line by which clients without a
// way to send any command send this one,
//
//	return redis.call('CL.THROTTLE', KEYS[1], ARGV[1], ARGV[2], ARGV[3])
//
// Each argument is a KEYS[n], an ARGV[n], a number, a text in quotes or, as the
// last one, unpack(ARGV).
type wrapper struct {
	script []byte
	args   []operand
}

// operand is where an argument comes from.
type operand struct {
	from    source
	index   int    // from 1, of keys and argv
	literal []byte // within script
}

type source uint8

const (
	fromLiteral source = iota
	fromKeys
	fromArgv
	fromAllArgv
)

const notWrapper = "ERR EVAL runs one script only: return redis.call('CL.THROTTLE', KEYS[1], ARGV[1], ARGV[2], ARGV[3])"

// eval is EVAL script numkeys [key ...] [arg ...].
func (c *connection) eval(args [][]byte) {
	if c.wrapper.args == nil || !bytes.Equal(c.wrapper.script, args[0]) {
		w, ok := parseWrapper(args[0])
		if !ok {
			c.fail(notWrapper)
			return
		}
		c.wrapper = w
	}
	count, ok := integer(args[1])
	switch {
	case !ok:
		c.fail("ERR value is not an integer or out of range")
		return
	case count < 0:
		c.fail("ERR Number of keys can't be negative")
		return
	case count > int64(len(args)-2):
		c.fail("ERR Number of keys can't be greater than number of args")
		return
	}
	words := make([][]byte, 0, len(c.wrapper.args))
	for _, o := range c.wrapper.args {
		if words, ok = o.resolve(words, args[2:2+count], args[2+count:]); !ok {
			c.fail("ERR the script names a key or an argument that was not given")
			return
		}
	}
	if !commandTable[cmdThrottle].takes(1 + len(words)) {
		c.wrongArity(commandTable[cmdThrottle].name)
		return
	}
	c.throttle(words)
}

func (o *operand) resolve(words [][]byte, given, arguments [][]byte) ([][]byte, bool) {
	list := arguments
	switch o.from {
	case fromLiteral:
		return append(words, o.literal), true
	case fromAllArgv:
		return append(words, arguments...), true
	case fromKeys:
		list = given
	}
	if o.index < 1 || o.index > len(list) {
		return nil, false
	}
	return append(words, list[o.index-1]), true
}

// maxScript is ample for the one line, in bytes.
const maxScript = 1 << 10

func parseWrapper(script []byte) (w wrapper, ok bool) {
	if len(script) > maxScript {
		return w, false
	}
	w.script = bytes.Clone(script) // which w.args lie in
	r := scriptReader{w.script}
	if !r.word("return") || !r.symbol("redis") || !r.symbol(".") || !r.symbol("call") || !r.symbol("(") {
		return w, false
	}
	if name, ok := r.quoted(); !ok || !equalFold(name, commandTable[cmdThrottle].name) {
		return w, false
	}
	for r.symbol(",") {
		o, ok := r.operand()
		if !ok || len(w.args) > 0 && w.args[len(w.args)-1].from == fromAllArgv {
			return w, false
		}
		w.args = append(w.args, o)
	}
	closed := r.symbol(")")
	r.symbol(";")
	r.blanks()
	return w, closed && len(r.rest) == 0 && len(w.args) > 0
}

type scriptReader struct{ rest []byte }

func (r *scriptReader) blanks() { r.rest = bytes.TrimLeft(r.rest, " \t\r\n") }

// symbol takes the text, if it comes next.
func (r *scriptReader) symbol(text string) bool {
	r.blanks()
	rest, found := bytes.CutPrefix(r.rest, []byte(text))
	r.rest = rest
	return found
}

// word is a symbol with a blank after it.
func (r *scriptReader) word(text string) bool {
	return r.symbol(text) && len(r.rest) > 0 && bytes.IndexByte([]byte(" \t\r\n"), r.rest[0]) >= 0
}

func (r *scriptReader) operand() (operand, bool) {
	switch {
	case r.symbol("KEYS"):
		n, ok := r.index()
		return operand{from: fromKeys, index: n}, ok
	case r.symbol("ARGV"):
		n, ok := r.index()
		return operand{from: fromArgv, index: n}, ok
	case r.symbol("unpack"), r.symbol("table.unpack"):
		return operand{from: fromAllArgv}, r.symbol("(") && r.symbol("ARGV") && r.symbol(")")
	}
	if text, ok := r.quoted(); ok {
		return operand{literal: text}, true
	}
	text := r.digits()
	return operand{literal: text}, len(text) > 0
}

func (r *scriptReader) index() (int, bool) {
	if !r.symbol("[") {
		return 0, false
	}
	r.blanks()
	n, ok := integer(r.digits())
	return int(min(n, maxArguments+1)), ok && r.symbol("]")
}

// digits takes an integer; there is nothing where there is none.
func (r *scriptReader) digits() []byte {
	r.blanks()
	n := 0
	for n < len(r.rest) && (r.rest[n] >= '0' && r.rest[n] <= '9' || n == 0 && r.rest[n] == '-') {
		n++
	}
	text := r.rest[:n]
	r.rest = r.rest[n:]
	return text
}

// quoted takes a text in quotes that escapes nothing.
func (r *scriptReader) quoted() ([]byte, bool) {
	r.blanks()
	if len(r.rest) == 0 || r.rest[0] != '\'' && r.rest[0] != '"' {
		return nil, false
	}
	end := bytes.IndexByte(r.rest[1:], r.rest[0])
	if end < 0 {
		return nil, false
	}
	text := r.rest[1 : 1+end]
	r.rest = r.rest[end+2:]
	return text, bytes.IndexByte(text, '\\') < 0 && bytes.IndexByte(text, '\n') < 0
}
