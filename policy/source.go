package policy

import (
	"strconv"
	"strings"
)

// source remembers where the fields of a configuration stand, by path. It is
// empty for one written in Go.
type source struct {
	file  string
	marks map[string]mark
	bad   map[string]bool // fields that could not be read
}

// mark is a position, counted from 1.
type mark struct{ line, col int }

// at is where a field stands, or the nearest field around it that is written.
func (s *source) at(path string) mark {
	for ; path != ""; path = outer(path) {
		if m, ok := s.marks[path]; ok {
			return m
		}
	}
	return s.marks[""]
}

// unread reports whether the field, one around it or one within it could not be
// read: what follows from its absence is not worth saying.
func (s *source) unread(path string) bool {
	for around := path; ; around = outer(around) {
		if s.bad[around] {
			return true
		}
		if around == "" {
			break
		}
	}
	for bad := range s.bad {
		if path != "" && (strings.HasPrefix(bad, path+".") || strings.HasPrefix(bad, path+"[")) {
			return true
		}
	}
	return false
}

// inField, inList and inMap make the paths of what is within path.
func inField(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func inList(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

func inMap(path, key string) string { return path + "[" + strconv.Quote(key) + "]" }

// asKey is the path of a map's key itself: marks hold where its value stands.
func asKey(path string) string { return path + keySuffix }

const keySuffix = "#key"

// outer is the path of what is around path; "" is the whole.
func outer(path string) string {
	if value, isKey := strings.CutSuffix(path, keySuffix); isKey {
		return value
	}
	if strings.HasSuffix(path, "]") {
		return path[:bracket(path)]
	}
	return path[:max(0, strings.LastIndexByte(path, '.'))]
}

// bracket is the index of the bracket that opens the last step: a quoted key may
// hold brackets and dots.
func bracket(path string) int {
	if !strings.HasSuffix(path, `"]`) {
		return strings.LastIndexByte(path, '[')
	}
	for i := strings.LastIndex(path[:len(path)-2], `["`); i >= 0; i = strings.LastIndex(path[:i], `["`) {
		if _, err := strconv.Unquote(path[i+1 : len(path)-1]); err == nil {
			return i
		}
	}
	return 0
}
