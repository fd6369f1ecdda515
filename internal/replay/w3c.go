package replay

import (
	"net/url"
	"strings"
)

// w3c reads the W3C extended format, in which the log itself names its fields: as
// IIS writes it, with spaces, and as CloudFront does, with tabs. Its times are
// UTC.
type w3c struct {
	tabs   bool
	fields []string
}

// iisFields and cloudFrontFields are what logs without #Fields hold, such as the
// rest of one that was split.
var (
	iisFields        = strings.Fields("date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) sc-status sc-substatus sc-win32-status time-taken")
	cloudFrontFields = strings.Fields("date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query cs(Cookie) x-edge-result-type x-edge-request-id x-host-header cs-protocol cs-bytes time-taken")
)

func newW3C() parse { return (&w3c{fields: iisFields}).parse }

func newCloudFront() parse { return (&w3c{tabs: true, fields: cloudFrontFields}).parse }

func (w *w3c) parse(line string, e *entry) verdict {
	if strings.HasPrefix(line, "#") {
		if names, found := strings.CutPrefix(line, "#Fields:"); found {
			w.fields = strings.Fields(strings.Clone(names))
		}
		return remark
	}
	var date, clock string
	rest := line
	for i, field := range w.fields {
		value, more := w.cut(&rest)
		if value == "" || !more && i < len(w.fields)-1 {
			return broken
		}
		switch field {
		case "date":
			date = value
		case "time":
			clock = value
		default:
			w.set(e, field, value)
		}
	}
	if len(date) != len("2006-01-02") {
		return broken
	}
	var buf [64]byte
	var ok bool
	if e.at, ok = isoStamp(string(append(append(append(buf[:0], date...), 'T'), clock...))); !ok || e.method == "" {
		return broken
	}
	return record
}

// cut takes the next value off the line.
func (w *w3c) cut(rest *string) (value string, more bool) {
	separator := byte(' ')
	if w.tabs {
		separator = '\t'
	}
	i := strings.IndexByte(*rest, separator)
	if i < 0 {
		value, *rest = *rest, ""
		return value, false
	}
	value, *rest = (*rest)[:i], (*rest)[i+1:]
	return value, true
}

func (w *w3c) set(e *entry, field, value string) {
	if value == "-" {
		return
	}
	switch field {
	case "c-ip":
		e.setClient(value)
		e.peer = e.ip
	case "X-Forwarded-For": // a field of IIS's own, where it is asked for
		e.set(field, strings.ReplaceAll(value, "+", " "))
	case "cs-method":
		if isMethod(value) {
			e.method = value
		}
	case "cs-uri-stem":
		e.path = value
	case "cs-host", "x-host-header": // the second is what the client asked for
		e.host = value
	default:
		w.setHeader(e, field, value)
	}
}

// setHeader takes cs(NAME), in which IIS writes a space as + and CloudFront
// escapes as in a URL.
func (w *w3c) setHeader(e *entry, field, value string) {
	name, found := strings.CutPrefix(field, "cs(")
	if !found {
		return
	}
	name = strings.TrimSuffix(name, ")")
	if strings.EqualFold(name, "Host") {
		if e.host == "" {
			e.host = value
		}
		return
	}
	if !w.tabs {
		value = strings.ReplaceAll(value, "+", " ")
	} else if plain, err := url.PathUnescape(value); err == nil {
		value = plain
	}
	e.set(name, value)
}
