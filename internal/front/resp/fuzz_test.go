package resp

import (
	"bytes"
	"context"
	"io"
	"net"
	"testing"
	"time"

	"github.com/weirhq/weir"
)

// Whatever comes, parse takes no more than there is and no more than the bounds
// allow, and finds the same command however the bytes are cut.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		encoded("CL.THROTTLE", "user:42", "15", "30", "60"), encoded("PING") + encoded("ECHO", ""), "PING\r\n", "*0\r\n", "*-1\r\n", "*1\r\n$-1\r\n",
		"*1\r\n*1\r\n", "*129\r\n", "*2\r\n$4\r\nPING\r\n$9", "$4\r\nPING\r\n", "GET / HTTP/1.1\r\n", "*00000000000000000001\r\n$4\r\nPING\r\n", "", "*", "*1", "*1\r", "\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		whole, err := parse(in, nil)
		switch {
		case err != nil && whole.size != 0:
			t.Fatalf("%d bytes and %v", whole.size, err)
		case err == nil && whole.size == 0 && whole.need <= len(in):
			t.Fatalf("%d bytes are asked for where there are %d", whole.need, len(in))
		case whole.size > len(in) || whole.size > maxCommand || len(whole.args) > maxArguments:
			t.Fatalf("%d bytes of %d, %d words", whole.size, len(in), len(whole.args))
		}
		for cut := range in[:min(len(in), 512)] {
			part, partErr := parse(in[:cut], nil)
			switch {
			case partErr != nil && err == nil:
				t.Fatalf("%v after %d bytes, and none after all", partErr, cut)
			case part.size != 0 && part.size != whole.size:
				t.Fatalf("%d bytes are a command of %d, all are one of %d", cut, part.size, whole.size)
			case part.size == 0 && partErr == nil && whole.size != 0 && part.need > whole.size:
				t.Fatalf("after %d bytes %d are asked for, but %d are enough", cut, part.need, whole.size)
			}
		}
		if whole.size == 0 || len(whole.args) == 0 || in[0] != '*' {
			return
		}
		words := make([]string, len(whole.args))
		for i, word := range whole.args {
			words[i] = string(word)
		}
		if again, err := parse([]byte(encoded(words...)), nil); err != nil || len(again.args) != len(words) {
			t.Fatalf("%q is read otherwise when it is written again: %v", words, err)
		}
	})
}

// A connection answers any bytes with replies that a client can read, or ends.
func FuzzCommands(f *testing.F) {
	for _, seed := range []string{
		encoded("CL.THROTTLE", "k", "1", "1", "1") + encoded("DEL", "k"), encoded("HELLO", "3", "AUTH", "default", token) + encoded("DEL", "k"), encoded("COMMAND") + encoded("INFO"),
		encoded("EVAL", "return redis.call('CL.THROTTLE', KEYS[1], unpack(ARGV))", "1", "k", "1", "1", "1"), encoded("CLIENT", "SETNAME", "a\r\nb"), encoded("a\r\n-ERR", "b\r\n"), "cl.throttle k 1 1 1\r\nquit\r\n",
		encoded("CONFIG", "GET", "*"), encoded("SELECT", "15"), encoded("COMMAND", "INFO", "x"), encoded("CLIENT", "LIST"), encoded("PING", "\x00"),
	} {
		f.Add([]byte(seed))
	}
	store := weir.NewMemoryStore(weir.MemoryOptions{MaxKeys: 1000})
	f.Cleanup(func() { store.Close() })
	f.Fuzz(func(t *testing.T, in []byte) {
		s := New(&engine{store: store}, Options{Token: token})
		defer s.Close()
		here, there := net.Pipe()
		s.take(there)
		go func() {
			here.Write(in)
			here.Write([]byte("\r\n\r\n" + encoded("QUIT")))
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			s.Shutdown(ctx) // where the last command lies within another's text
		}()
		here.SetReadDeadline(time.Now().Add(patience))
		out, err := io.ReadAll(here)
		if err != nil {
			t.Fatal(err)
		}
		for rest := out; len(rest) > 0; {
			if rest = afterReply(rest, 4); rest == nil {
				t.Fatalf("no client reads %q", out)
			}
		}
	})
}

// afterReply is what comes after one reply; nil where that is none.
func afterReply(out []byte, depth int) []byte {
	line, rest, found := bytes.Cut(out, []byte("\r\n"))
	if !found || len(line) == 0 || bytes.IndexByte(line, '\n') >= 0 || bytes.IndexByte(line, '\r') >= 0 || depth == 0 {
		return nil
	}
	n, isNumber := integer(line[1:])
	switch line[0] {
	case '+', '-':
		return rest
	case '_':
		return rest
	case ':':
		if !isNumber {
			return nil
		}
		return rest
	case '$':
		switch {
		case n == -1:
			return rest
		case !isNumber || n < 0 || int(n)+2 > len(rest) || rest[n] != '\r' || rest[n+1] != '\n':
			return nil
		}
		return rest[n+2:]
	case '%':
		n *= 2
	case '*':
		if n == -1 {
			return rest
		}
	default:
		return nil
	}
	for ; isNumber && n > 0 && rest != nil; n-- {
		rest = afterReply(rest, depth-1)
	}
	return rest
}
