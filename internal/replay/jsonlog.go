package replay

import "strings"

// parseJSON reads one JSON object for each request: what Caddy writes, and what
// people have nginx and others write, whose members have many names.
func parseJSON(line string, e *entry) verdict {
	if !strings.HasPrefix(line, "{") {
		return broken
	}
	j := jsonLog{e: e}
	switch whole := members(line, j.member); {
	case !whole:
		return broken
	case j.timed == 0 || !j.asked:
		return j.other()
	}
	return record
}

// jsonLog gathers an entry from members in any order. Where several tell one
// thing, the one of the highest rank is believed.
type jsonLog struct {
	e      *entry
	timed  int
	client int
	asked  bool
	logger bool
}

// other is a line of JSON that is no request: one of Caddy's own messages is
// passed over.
func (j *jsonLog) other() verdict {
	if j.logger && !j.asked {
		return remark
	}
	return broken
}

func (j *jsonLog) member(key, value string) {
	switch key {
	case "ts", "time", "time_iso8601", "time_local", "timestamp", "@timestamp", "datetime", "date", "start_time":
		j.time(1, text(value))
	case "msec":
		j.time(2, text(value))
	case "remote_addr", "remote_ip", "remote", "ip", "addr", "clientip":
		j.from(1, text(value))
	case "client_ip", "realip_remote_addr", "client":
		j.from(2, text(value))
	case "method", "request_method", "verb":
		if method := text(value); isMethod(method) {
			j.e.method = method
		}
	case "uri", "request_uri", "path", "url":
		j.asked = true
		j.e.setTarget(text(value))
	case "host", "http_host", "vhost":
		j.e.host = text(value)
	case "request":
		j.request(value)
	case "headers", "request_headers":
		members(value, j.header)
	case "logger":
		j.logger = true
	default:
		if name, found := strings.CutPrefix(key, "http_"); found { // nginx's $http_x_api_key
			j.e.set(strings.ReplaceAll(name, "_", "-"), text(value))
		}
	}
}

func (j *jsonLog) time(rank int, value string) {
	if rank < j.timed {
		return
	}
	for _, read := range [...]func(string) (int64, bool){numberStamp, isoStamp, commonStamp} {
		if at, ok := read(value); ok {
			j.e.at, j.timed = at, rank
			return
		}
	}
}

func (j *jsonLog) from(rank int, value string) {
	if rank == 1 {
		var peer entry
		peer.setClient(value)
		j.e.peer = peer.ip
	}
	if rank > j.client {
		j.e.ip, j.e.name = j.e.peer, ""
		j.e.setClient(value)
		j.client = rank
	}
}

// request is Caddy's object, or a request line.
func (j *jsonLog) request(value string) {
	if strings.HasPrefix(value, "{") {
		members(value, j.member)
		return
	}
	j.asked = true
	j.e.setRequest(text(value))
}

func (j *jsonLog) header(name, value string) {
	elements(value, func(one string) { j.e.set(name, one) })
}
