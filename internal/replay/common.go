package replay

import "strings"

// common reads the common and the combined format of Apache and nginx, which begin
// alike:
//
//	203.0.113.7 - alice [12/May/2024:00:00:17 +0000] "GET /search?q=1 HTTP/1.1" 200 512 "-" "curl/8"
//
// What follows the size does not matter. A virtual host may stand before the
// address, as in Apache's vhost_combined, and X-Forwarded-For in its place.
type common struct {
	stamp []byte // the last one read: mostly the next is the same
	at    int64
}

func newCommon() parse { return new(common).parse }

func (c *common) parse(line string, e *entry) verdict {
	if c.record(line, e) {
		return record
	}
	// A spreadsheet or a log shipper has put the line in quotes.
	if len(line) > 2 && line[0] == '"' && line[len(line)-1] == '"' {
		inner := line[1 : len(line)-1]
		if strings.Contains(inner, `""`) {
			inner = strings.ReplaceAll(inner, `""`, `"`)
		} else {
			inner = strings.ReplaceAll(inner, `\"`, `"`)
		}
		*e = entry{}
		if c.record(inner, e) {
			return record
		}
	}
	return broken
}

func (c *common) record(line string, e *entry) bool {
	open := strings.IndexByte(line, '[')
	for open >= 0 && (open+1 == len(line) || !isDigit(line[open+1]) || open == 0 || line[open-1] != ' ') {
		next := strings.IndexByte(line[open+1:], '[') // a user's name may hold one
		if next < 0 {
			return false
		}
		open += 1 + next
	}
	if open < 0 || !commonClient(line[:open], e) {
		return false
	}
	s := scanner{line[open:]}
	stamp, ok := s.bracketed()
	if !ok {
		return false
	}
	if e.at, ok = c.time(stamp); !ok {
		return false
	}
	request, ok := s.quoted()
	if !ok || !s.status() {
		return false
	}
	e.setRequest(request)
	return skipSpaces(s.left) != ""
}

func (c *common) time(stamp string) (int64, bool) {
	if stamp == string(c.stamp) {
		return c.at, true
	}
	at, ok := commonStamp(stamp)
	if ok {
		c.stamp, c.at = append(c.stamp[:0], stamp...), at
	}
	return at, ok
}

func commonClient(head string, e *entry) bool {
	s := scanner{head}
	client, ok := s.word()
	if !ok || strings.HasPrefix(client, `"`) {
		return false
	}
	if strings.HasSuffix(client, ",") {
		return s.forwarded(client, e)
	}
	e.setClient(client)
	if e.ip.IsValid() {
		return true
	}
	second, ok := s.word()
	if !ok {
		return false
	}
	var behind entry
	if behind.setClient(second); behind.ip.IsValid() {
		e.ip, e.name, e.host = behind.ip, "", client
	}
	return true
}

// forwarded takes a list of addresses, "203.0.113.7, 10.0.0.1", that begins with
// first.
func (s *scanner) forwarded(first string, e *entry) bool {
	list := first
	for strings.HasSuffix(list, ",") {
		next, ok := s.word()
		if !ok {
			return false
		}
		list += next
	}
	e.forwarded = append(e.forwarded, list)
	return true
}
