package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/weirhq/weir/bench/turns"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "noop" {
		serveNothing(os.Args[2], os.Args[3:])
		return
	}
	os.Exit(m.Run())
}

// All that is built from this repository or runs in this process takes one short turn at
// every work, and asserts its own set-up.
func TestRun(t *testing.T) {
	var out bytes.Buffer
	s := settings{rounds: 1, turn: time.Millisecond, callers: 4, keys: 1000, contests: regexp.MustCompile("."),
		only: []string{"weir", "noop", "redis-lua", "httprate", "ulule", "throttled"}}
	if err := run(s, &out); err != nil {
		t.Fatal(err)
	}
	results, heading, err := turns.Read(&out)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range works {
		for _, name := range w.who {
			if _, ok := results.Of(w.name, name, results.Unit(w.name)); !ok && name != "gubernator" {
				t.Errorf("%s had no turn at %s", name, w.name)
			}
		}
	}
	if text := strings.Join(heading, "\n"); !strings.Contains(text, "version weir ") || !strings.Contains(text, "version redis ") {
		t.Errorf("what was measured is not told:\n%s", text)
	}
}

// Who always admits, or always refuses, is no limiter that can be measured.
func TestSetUpIsAsserted(t *testing.T) {
	command := (&bench{}).command("weir", "")
	for _, answer := range []string{admission + ":5\r\n:1\r\n:-1\r\n:1\r\n", "*5\r\n:1\r\n:5\r\n:0\r\n:1\r\n:1\r\n"} {
		if one := answering(t, answer); one.checkLimits(command, 1) == nil {
			t.Errorf("a server that always says %q passes for a limiter", answer)
		}
	}
}

// A refusal among admissions ends the run, rather than to count as fast.
func TestRefusalsAreErrors(t *testing.T) {
	p := newCommands((&bench{}).command("weir", ""), 1)
	p.choose(1000)
	if err := answering(t, admission+":5\r\n:1\r\n:-1\r\n:1\r\n").askAll(p); err != nil {
		t.Error(err)
	}
	if answering(t, "*5\r\n:1\r\n:5\r\n:0\r\n:1\r\n:1\r\n").askAll(p) == nil {
		t.Error("a refusal passes")
	}
}

// answering is a connection to a server that answers every command so.
func answering(t *testing.T, answer string) *asker {
	t.Helper()
	client, server := net.Pipe()
	t.Cleanup(func() { client.Close() })
	go func() {
		in := make([]byte, 1024)
		for {
			if _, err := server.Read(in); err != nil {
				return
			}
			server.Write([]byte(answer))
		}
	}()
	return &asker{conn: client, answer: make([]byte, 1024)}
}

// Keys are patched into what is written ahead, and nothing else is.
func TestCommandsNameTheirKeys(t *testing.T) {
	for _, name := range []string{"weir", "redis-lua"} {
		command := (&bench{}).command(name, strings.Repeat("0", 40))
		p := newCommands(command, 3)
		for i, at := range p.keys {
			p.name(at, 12_345_670+i)
		}
		want := ""
		for i := range 3 {
			want += command(12_345_670+i, burst)
		}
		if string(p.text) != want {
			t.Errorf("%q, want %q", p.text, want)
		}
	}
}

func TestAnswersOfServices(t *testing.T) {
	status := text(nil, 2, []byte{})
	for answer, refused := range map[string]bool{
		string(append([]byte{1 << 3, 1}, status...)): false,
		string(append([]byte{1 << 3, 2}, status...)): true,
		"\x08\x01": true, // not one status
		"":         true,
	} {
		if envoyRefuses([]byte(answer)) != refused {
			t.Errorf("envoy's answer %q: refused is not %v", answer, refused)
		}
	}
	for answer, refused := range map[string]bool{
		string(text(nil, 1, []byte{2 << 3, 5})):            false,
		string(text(nil, 1, []byte{1 << 3, 1, 2 << 3, 5})): true,
		string(text(nil, 1, text(nil, 5, "an error"))):     true,
		"": true,
	} {
		if gubernatorRefuses([]byte(answer)) != refused {
			t.Errorf("gubernator's answer %q: refused is not %v", answer, refused)
		}
	}
}

func TestUnknownContendersHaveNoTurn(t *testing.T) {
	var out bytes.Buffer
	s := settings{rounds: 1, turn: time.Millisecond, callers: 1, keys: 1, contests: regexp.MustCompile("middleware"), only: []string{"nobody"}}
	if err := run(s, &out); err == nil {
		t.Error(fmt.Sprint("a run without contenders is one: ", out.String()))
	}
}
