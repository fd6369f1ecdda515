package replay

import "strings"

// parseHAProxy reads HAProxy's HTTP log, with or without what syslog puts before
// it:
//
//	203.0.113.7:56729 [01/Dec/2026:03:01:08.225] fe be/srv 0/0/1/2/3 200 73 - - ---- 4/4/0/0/0 0/0 "GET / HTTP/1.1"
//
// Its times have no zone; they are taken for UTC.
func parseHAProxy(line string, e *entry) verdict {
	if i := strings.Index(line, "]: "); i >= 0 && i < strings.IndexByte(line, '/') {
		line = line[i+3:]
	}
	s := scanner{line}
	client, ok := s.word()
	if !ok || strings.IndexByte(client, ':') < 0 {
		return broken
	}
	e.setClientPort(client)
	stamp, ok := s.bracketed()
	if !ok {
		return broken
	}
	if e.at, ok = commonStamp(stamp); !ok {
		return broken
	}
	if !s.words(3) || !s.status() { // frontend, backend/server, timers
		return broken
	}
	quote := strings.IndexByte(s.left, '"')
	if quote < 0 {
		return broken
	}
	// The request comes last; a long one is cut, and then its quote is missing.
	e.setRequest(strings.TrimSuffix(s.left[quote+1:], `"`))
	return record
}
