package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/weirhq/weir/bench/process"
)

// turn is what one proxy did in one round.
type turn struct {
	rate     float64 // requests per second
	p50, p99 time.Duration
	cpu      time.Duration // of the proxy, per request
}

// load lets callers ask the peer for a while. Each has a connection and an API key of its
// own. It is an error if an answer is not the upstream's.
func load(p *peer, callers int, during time.Duration) (turn, error) {
	before := process.CPU(p.pid)
	end := time.Now().Add(during)
	latencies, errs := make([][]time.Duration, callers), make([]error, callers)
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() { latencies[i], errs[i] = call(p.address, i, end) })
	}
	begun := time.Now()
	all.Wait()
	took := time.Since(begun)
	for _, err := range errs {
		if err != nil {
			return turn{}, err
		}
	}
	sorted := slices.Concat(latencies...)
	slices.Sort(sorted)
	at := func(percent int) time.Duration {
		return round(sorted[min(len(sorted)*percent/100, len(sorted)-1)])
	}
	return turn{float64(len(sorted)) / took.Seconds(), at(50), at(99), (process.CPU(p.pid) - before) / time.Duration(len(sorted))}, nil
}

func call(address string, caller int, end time.Time) (latencies []time.Duration, err error) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	c.SetDeadline(end.Add(10 * time.Second))
	request := requestOf(caller)
	answers := bufio.NewReader(c)
	for now := time.Now(); len(latencies) == 0 || now.Before(end); { // once at least, on whatever machine
		if _, err := c.Write(request); err != nil {
			return nil, err
		}
		if _, err := readAnswer(answers); err != nil {
			return nil, err
		}
		after := time.Now()
		latencies = append(latencies, after.Sub(now))
		now = after
	}
	return latencies, nil
}

// requestOf looks like a small API call. /search is under all three layers.
func requestOf(caller int) []byte {
	return fmt.Appendf(nil, "GET /search?q=weir HTTP/1.1\r\nHost: api.example\r\nUser-Agent: bench\r\nAccept: application/json\r\nAccept-Encoding: gzip\r\nX-API-Key: caller-%d\r\n\r\n", caller)
}

// readAnswer reads an answer that has a length, and wants the upstream's. It
// returns the header.
func readAnswer(r *bufio.Reader) (string, error) {
	var header bytes.Buffer
	length := -1
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return "", err
		}
		header.Write(line)
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			break
		}
		if name, value, ok := bytes.Cut(line, []byte(":")); ok && bytes.EqualFold(name, []byte("Content-Length")) {
			length, err = strconv.Atoi(string(bytes.TrimSpace(value)))
			if err != nil {
				return "", err
			}
		}
	}
	if !bytes.HasPrefix(header.Bytes(), []byte("HTTP/1.1 200 ")) || length != len(answerBody) {
		return "", fmt.Errorf("an answer that is not the upstream's:\n%s", header.String())
	}
	var body [len(answerBody)]byte
	if _, err := io.ReadFull(r, body[:]); err != nil {
		return "", err
	}
	if string(body[:]) != answerBody {
		return "", fmt.Errorf("a body that is not the upstream's: %q", body[:])
	}
	return header.String(), nil
}
