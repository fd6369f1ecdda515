package replay

import (
	"encoding/json"
	"strings"
)

// members calls f for each member of a JSON object, with the raw text of its
// value, and reports whether the object was whole. It looks at one level; the
// texts of objects and arrays within are f's to look into. A log's line of 600
// bytes takes a tenth of what encoding/json needs for it.
func members(object string, f func(key, value string)) bool {
	left := trimBlank(object)
	if left == "" || left[0] != '{' {
		return false
	}
	left = trimBlank(left[1:])
	if strings.HasPrefix(left, "}") {
		return trimBlank(left[1:]) == ""
	}
	for {
		key, rest, ok := cutString(left)
		rest = trimBlank(rest)
		if !ok || rest == "" || rest[0] != ':' {
			return false
		}
		value, rest, ok := cutValue(trimBlank(rest[1:]))
		if !ok {
			return false
		}
		f(text(key), value)
		rest = trimBlank(rest)
		switch {
		case rest == "":
			return false
		case rest[0] == '}':
			return trimBlank(rest[1:]) == ""
		case rest[0] != ',':
			return false
		}
		left = trimBlank(rest[1:])
	}
}

// elements calls f for each element of a JSON array of strings, or for a string
// alone.
func elements(value string, f func(string)) {
	if strings.HasPrefix(value, `"`) {
		f(text(value))
		return
	}
	if !strings.HasPrefix(value, "[") {
		return
	}
	left := trimBlank(value[1:])
	for strings.HasPrefix(left, `"`) {
		one, rest, ok := cutString(left)
		if !ok {
			return
		}
		f(text(one))
		left = strings.TrimPrefix(trimBlank(rest), ",")
		left = trimBlank(left)
	}
}

// text is what a JSON string says; of any other value, the value as it stands.
func text(value string) string {
	if len(value) < 2 || value[0] != '"' {
		return value
	}
	if strings.IndexByte(value, '\\') < 0 {
		return value[1 : len(value)-1]
	}
	var plain string
	if json.Unmarshal([]byte(value), &plain) != nil {
		return unescape(value[1 : len(value)-1]) // nginx without escape=json writes \xHH
	}
	return plain
}

func cutString(left string) (quoted, rest string, ok bool) {
	if left == "" || left[0] != '"' {
		return "", left, false
	}
	for i := 1; i < len(left); i++ {
		switch left[i] {
		case '\\':
			i++
		case '"':
			return left[:i+1], left[i+1:], true
		}
	}
	return "", "", false
}

// cutValue takes a value off the front, brackets and what is in them as one.
func cutValue(left string) (value, rest string, ok bool) {
	if left == "" {
		return "", "", false
	}
	switch left[0] {
	case '"':
		return cutString(left)
	case '{', '[':
		return cutNested(left)
	}
	i := strings.IndexAny(left, ",}] \t")
	if i <= 0 {
		return "", "", false
	}
	return left[:i], left[i:], true
}

func cutNested(left string) (value, rest string, ok bool) {
	depth := 0
	for i := 0; i < len(left); i++ {
		switch left[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return left[:i+1], left[i+1:], true
			}
		case '"':
			quoted, _, ok := cutString(left[i:])
			if !ok {
				return "", "", false
			}
			i += len(quoted) - 1
		}
	}
	return "", "", false
}

func trimBlank(text string) string {
	for text != "" && (text[0] == ' ' || text[0] == '\t' || text[0] == '\r' || text[0] == '\n') {
		text = text[1:]
	}
	return text
}
