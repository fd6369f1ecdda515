package descriptor

import "strings"

// layerPrefix and a domain are the layer of the domain's keys. No layer of a
// policy has a slash in its name, so the two never meet.
const layerPrefix = "envoy/"

// An identity is KEY=VALUE|KEY=VALUE, with escapes for what has a meaning in it:
// lists of entries that differ never have the same. A rule's path is written the
// same way, with a key alone where it has no value.

// appendIdentity appends the identity of entries. shared has the pattern that
// stands in place of a value, "" for none; it is nil or as long as entries.
func appendIdentity(b []byte, entries []Entry, shared []string) []byte {
	for i := range entries {
		if i > 0 {
			b = append(b, '|')
		}
		value := entries[i].Value
		if shared != nil && shared[i] != "" {
			value = shared[i]
		}
		b = appendEscaped(b, entries[i].Key)
		b = append(b, '=')
		b = appendEscaped(b, value)
	}
	return b
}

// rulePath is the path of a node's child.
func rulePath(parent, key, value string) string {
	var b []byte
	if parent != "" {
		b = append([]byte(parent), '|')
	}
	b = appendEscaped(b, key)
	if value != "" {
		b = appendEscaped(append(b, '='), value)
	}
	return string(b)
}

const special = "%|=~"

func appendEscaped(b []byte, text string) []byte {
	const digits = "0123456789ABCDEF"
	for {
		at := strings.IndexAny(text, special)
		if at < 0 {
			return append(b, text...)
		}
		b = append(append(b, text[:at]...), '%', digits[text[at]>>4], digits[text[at]&15])
		text = text[at+1:]
	}
}

// parseIdentity reads what appendIdentity wrote; ok is false for anything else.
func parseIdentity(text string) (entries []Entry, ok bool) {
	for _, part := range strings.Split(text, "|") {
		key, value, found := strings.Cut(part, "=")
		key, okKey := unescape(key)
		value, okValue := unescape(value)
		if !found || !okKey || !okValue {
			return nil, false
		}
		entries = append(entries, Entry{key, value})
	}
	return entries, true
}

func unescape(text string) (string, bool) {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, "%")
		if strings.ContainsAny(before, special) {
			return "", false
		}
		b.WriteString(before)
		if !found {
			return b.String(), true
		}
		at := -1
		for i := range len(special) {
			if strings.HasPrefix(after, escapes[i]) {
				at = i
			}
		}
		if at < 0 {
			return "", false
		}
		b.WriteByte(special[at])
		text = after[2:]
	}
}

// escapes are those of the bytes of special, in its order.
var escapes = [len(special)]string{"25", "7C", "3D", "7E"}
