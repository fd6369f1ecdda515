package replay

// parseEnvoy reads Envoy's default format:
//
//	[2026-12-01T03:01:08.225Z] "GET /search HTTP/1.1" 200 - 0 73 1 0 "203.0.113.7" "curl/8" "ID" "api.example.com" "10.0.0.2:80"
//
// The client is in X-Forwarded-For, to which Envoy appends its peer.
func parseEnvoy(line string, e *entry) verdict {
	s := scanner{line}
	stamp, ok := s.bracketed()
	if !ok {
		return broken
	}
	if e.at, ok = isoStamp(stamp); !ok {
		return broken
	}
	request, ok := s.quoted()
	if !ok || !s.status() || !s.words(5) { // flags, received, sent, duration, upstream
		return broken
	}
	e.setRequest(request)
	forwarded, ok := s.quoted()
	if !ok {
		return broken
	}
	if forwarded != "-" {
		e.forwarded = append(e.forwarded, forwarded)
	}
	if agent, ok := s.quoted(); ok {
		e.set("User-Agent", agent)
	}
	s.quoted() // the request's id
	if authority, ok := s.quoted(); ok && authority != "-" && e.host == "" {
		e.host = authority
	}
	return record
}
