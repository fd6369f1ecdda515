package main

import (
	"bufio"
	"bytes"
	"os"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "child" {
		child(os.Args[2:])
		return
	}
	os.Exit(m.Run())
}

// A short run of what is built from this repository, and of nginx: it starts, asserts its own
// set-up, and has figures for all.
func TestRun(t *testing.T) {
	var out bytes.Buffer
	s := settings{rounds: 2, callers: 4, turn: 50 * time.Millisecond, warm: 10 * time.Millisecond, only: []string{"weir", "httputil", "tuned", "nginx-limit", "direct"}}
	if err := run(s, &out); err != nil {
		t.Fatal(err)
	}
	for _, name := range s.only {
		if n := strings.Count(out.String(), "\n"+name+" "); n != 2 { // its version, and the sum
			t.Errorf("%d lines begin with %s:\n%s", n, name, &out)
		}
	}
}

// An answer that is not the upstream's ends the run, rather than to count as fast.
func TestOtherAnswersAreErrors(t *testing.T) {
	var out bytes.Buffer
	s := settings{rounds: 1, callers: 1, turn: time.Millisecond, only: []string{"nobody"}}
	if err := run(s, &out); err == nil {
		t.Error("a peer that is not there runs")
	}
	for _, answer := range []string{
		"HTTP/1.1 429 Too Many Requests\r\nContent-Length: 73\r\n\r\n" + answerBody,
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
		"HTTP/1.1 200 OK\r\nContent-Length: 73\r\n\r\n" + strings.ToUpper(answerBody),
	} {
		if _, err := readAnswer(reader(answer)); err == nil {
			t.Errorf("%q passes", answer)
		}
	}
	if _, err := readAnswer(reader(answer)); err != nil {
		t.Error(err)
	}
}

func reader(text string) *bufio.Reader { return bufio.NewReader(strings.NewReader(text)) }
