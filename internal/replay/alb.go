package replay

// parseALB reads what an AWS application load balancer writes:
//
//	https 2026-12-01T03:01:08.225186Z app/lb/50dc6c 203.0.113.7:2817 10.0.0.1:80 0.000 0.001 0.000 200 200 34 366 "GET https://api.example.com:443/search HTTP/1.1" "curl/8" …
func parseALB(line string, e *entry) verdict {
	s := scanner{line}
	kind, _ := s.word()
	switch kind {
	case "http", "https", "h2", "grpcs", "ws", "wss":
	default:
		return broken
	}
	stamp, _ := s.word()
	var ok bool
	if e.at, ok = isoStamp(stamp); !ok {
		return broken
	}
	if !s.words(1) { // the balancer
		return broken
	}
	client, ok := s.word()
	if !ok {
		return broken
	}
	e.setClientPort(client)
	if !s.words(4) || !s.status() || !s.status() || !s.words(2) { // target, three times; received, sent
		return broken
	}
	request, ok := s.quoted()
	if !ok {
		return broken
	}
	e.setRequest(request)
	if agent, ok := s.quoted(); ok {
		e.set("User-Agent", agent)
	}
	return record
}
