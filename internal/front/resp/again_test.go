package resp

import (
	"strings"
	"testing"
	"time"

	"github.com/weirhq/weir"
)

// A command that repeats what is around another's key is that command for its own key,
// wherever what arrives is cut, and whatever was asked in between.
func TestCommandsThatDifferInTheirKeys(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"keys of all lengths", take("a", "1") + take("a", "1") + take("ab", "1") + take("\r\n$1\r\n1\r\n", "1") + take("a", "1"),
			"*[0 2 1 -1 1] *[0 2 0 -1 2] *[0 2 1 -1 1] *[0 2 1 -1 1] *[1 2 0 1 2]"},
		{"other numbers", take("a", "4") + take("a", "4", "2") + take("a", "4", "2") + take("a", "9") + take("a", "4"),
			"*[0 5 4 -1 1] *[0 5 2 -1 3] *[0 5 0 -1 5] *[0 10 4 -1 6] *[1 5 0 1 5]"},
		{"more of them than are remembered", take("a", "9", "1") + take("a", "9", "0") + take("a", "9", "2") + take("a", "9", "3") + take("a", "9", "4") + take("a", "9", "1"),
			"*[0 10 9 -1 1] *[0 10 9 -1 1] *[0 10 7 -1 3] *[0 10 4 -1 6] *[0 10 0 -1 10] *[1 10 0 1 10]"},
		{"another database", take("a", "4") + encoded("SELECT", "1") + take("a", "4"), "*[0 5 4 -1 1] +OK *[0 5 4 -1 1]"},
		{"no key", take("a", "4") + take("", "4"), "*[0 5 4 -1 1] -ERR the key is empty: it would be one bucket for everybody"},
		{"a refusal of the command", take("a", "x") + take("a", "x"), "-ERR value is not an integer or out of range -ERR value is not an integer or out of range"},
		{"typed", "CL.THROTTLE a 4 1 1\r\nCL.THROTTLE a$ 4 1 1\r\n" + take("a", "4"), "*[0 5 4 -1 1] *[0 5 4 -1 1] *[0 5 3 -1 2]"},
		{"a length that lies", take("a", "4") + strings.Replace(take("ab", "4"), "$2", "$1", 1),
			"*[0 5 4 -1 1] -ERR Protocol error: a bulk string does not end where its length says"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, size := range []int{1, 2, 3, 7, len(c.text)} {
				s := start(t, Options{})
				client := s.piped()
				go func() {
					for rest := c.text; rest != ""; {
						n := min(size, len(rest))
						client.conn.Write([]byte(rest[:n]))
						rest = rest[n:]
					}
				}()
				var got []string
				for range strings.Count(c.text, "CL.THROTTLE") + strings.Count(c.text, "SELECT") {
					got = append(got, client.reply())
				}
				if got := strings.Join(got, " "); got != c.want {
					t.Errorf("in pieces of %d: %s, want %s", size, got, c.want)
				}
			}
		})
	}
}

func take(key, burst string, quantity ...string) string {
	return encoded(append([]string{"CL.THROTTLE", key, burst, "1", "1"}, quantity...)...)
}

// What is taken for a command that is known is one: the same words but for the key.
func FuzzAgain(f *testing.F) {
	for _, seed := range [][2]string{
		{take("a", "4"), take("b", "4")}, {take("a", "4", "2"), take("bcd", "4", "2")}, {take("a", "4"), take("a", "4", "1")},
		{"*5\r\n$011\r\ncl.throttle\r\n$01\r\na\r\n$1\r\n4\r\n$1\r\n1\r\n$1\r\n1\r\n", "*5\r\n$011\r\ncl.throttle\r\n$002\r\naa\r\n$1\r\n4\r\n$1\r\n1\r\n$1\r\n1\r\n"},
		{take("$", "4"), take("$1\r\n", "4") + take("a", "4")},
	} {
		f.Add([]byte(seed[0]), []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, text, in []byte) {
		first, err := parse(text, nil)
		if err != nil || len(first.args) < 2 || first.args[1] == nil {
			return
		}
		var known again
		known.note(text[:first.size], first.args[1], &weir.Check{Cost: 7})
		found, key, size := known.find(in)
		if size == 0 {
			return
		}
		cmd, err := parse(in, nil)
		if err != nil || cmd.size != size || len(cmd.args) != len(first.args) || string(cmd.args[1]) != string(key) || found.cost != 7 {
			t.Fatalf("after %q, %q is taken for %q: %v", text, in[:size], key, err)
		}
		for i := range cmd.args {
			if i != 1 && string(cmd.args[i]) != string(first.args[i]) {
				t.Fatalf("after %q, %q has another word %d", text, in[:size], i)
			}
		}
	})
}

// A deadline is moved when it would come too early, or too late, and not each time.
func TestDeadlinesAreSetNowAndThen(t *testing.T) {
	var set []time.Duration
	d := deadline{set: func(at time.Time) error { set = append(set, at.Sub(noon)); return nil }}
	for _, at := range []struct{ at, grace time.Duration }{
		{10, 2}, {11, 2}, {12, 2}, // one is late enough for three
		{13, 2}, // and too early for this
		{5, 0},  // a command has begun
		{5, 0}, {16, 2},
	} {
		d.notBefore(noon.Add(at.at), at.grace)
	}
	want := []time.Duration{12, 15, 5, 18}
	if len(set) != len(want) {
		t.Fatalf("set to %v, want %v", set, want)
	}
	for i := range want {
		if set[i] != want[i] {
			t.Errorf("set to %v, want %v", set, want)
		}
	}
}
