package resp

import "bytes"

// The bounds on what is read of one command.
const (
	maxCommand   = 64 << 10 // bytes, with its framing
	maxArguments = 128
	maxInline    = 1 << 10 // bytes
)

// protocolError ends a connection; it is worded as Redis words it.
type protocolError string

func (e protocolError) Error() string { return "Protocol error: " + string(e) }

// command is what parse has found: how many bytes it takes, 0 where it is not
// complete, and then how many there must be at least before it is worth another
// look.
type command struct {
	args [][]byte
	size int
	need int
}

// parse reads one command at the beginning of in: an array of bulk strings, or a
// line of words. args is filled and used again; what it holds lies within in. A
// command without words is one that asks nothing.
func parse(in []byte, args [][]byte) (command, error) {
	if len(in) == 0 {
		return command{need: 1}, nil
	}
	if in[0] != '*' {
		return parseInline(in, args)
	}
	count, at, err := length(in, 1, "invalid multibulk length")
	switch {
	case err != nil || at == 0:
		return command{need: len(in) + 1}, err
	case count > maxArguments:
		return command{}, protocolError("invalid multibulk length")
	case count <= 0:
		return command{size: at}, nil
	}
	args = args[:0]
	for range count {
		if at == len(in) {
			return command{need: at + 4}, nil // $0 and its line end
		}
		if in[at] != '$' {
			return command{}, protocolError("expected '$', got '" + printable(in[at:at+1]) + "'")
		}
		n, start, err := length(in, at+1, "invalid bulk length")
		switch {
		case err != nil || start == 0:
			return command{need: len(in) + 1}, err
		case n < 0 || n > maxCommand-2-start:
			return command{}, protocolError("invalid bulk length")
		}
		end := start + n
		if len(in) < end+2 {
			return command{need: end + 2}, nil
		}
		if in[end] != '\r' || in[end+1] != '\n' {
			return command{}, protocolError("a bulk string does not end where its length says")
		}
		args = append(args, in[start:end])
		at = end + 2
	}
	return command{args: args, size: at}, nil
}

// maxDigits is enough for every length, with a sign and zeros in front.
const maxDigits = 20

// length reads digits from in[at] to the line's end, and tells where the next line
// begins: 0 where the end is not there yet.
func length(in []byte, at int, wrong protocolError) (n, next int, err error) {
	start, negative := at, at < len(in) && in[at] == '-'
	if negative {
		at++
	}
	digits := at
	for ; at < len(in) && in[at] >= '0' && in[at] <= '9'; at++ {
		if n = 10*n + int(in[at]-'0'); n > maxCommand {
			return 0, 0, wrong
		}
	}
	switch {
	case at-start > maxDigits:
		return 0, 0, wrong
	case at == len(in) || at+1 == len(in) && in[at] == '\r':
		return 0, 0, nil
	case at == digits || in[at] != '\r' || in[at+1] != '\n':
		return 0, 0, wrong
	case negative:
		n = -n
	}
	return n, at + 2, nil
}

// parseInline reads a line as one types it: words between blanks, nothing quoted.
func parseInline(in []byte, args [][]byte) (command, error) {
	end := bytes.IndexByte(in, '\n')
	switch {
	case end < 0 && len(in) < maxInline:
		return command{need: len(in) + 1}, nil
	case end < 0 || end >= maxInline:
		return command{}, protocolError("too big inline request")
	}
	args = args[:0]
	for line := in[:end]; ; {
		line = bytes.TrimLeft(line, " \t\r")
		if len(line) == 0 {
			break
		}
		word := bytes.IndexAny(line, " \t\r")
		if word < 0 {
			word = len(line)
		}
		if len(args) == maxArguments {
			return command{}, protocolError("too big inline request")
		}
		args, line = append(args, line[:word]), line[word:]
	}
	if len(args) > 0 && isHTTP(args) {
		return command{}, protocolError("this is no HTTP server")
	}
	return command{args: args, size: end + 1}, nil
}

// isHTTP reports whether a line is of an HTTP request: what a web page lets a
// browser send to this port must not be taken for commands.
func isHTTP(words [][]byte) bool {
	return equalFold(words[0], "post") || equalFold(words[0], "host:") || bytes.HasPrefix(words[len(words)-1], []byte("HTTP/"))
}

// maxPrinted bounds what is repeated of a client's words, in bytes.
const maxPrinted = 128

// printable is a client's text as an error reply can hold it.
func printable(text []byte) string {
	if len(text) > maxPrinted {
		text = text[:maxPrinted]
	}
	return string(bytes.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, text))
}
