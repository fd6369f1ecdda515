// Package credential makes keys of credentials, so that none can be read in a
// store, a log or an answer. Every package that counts by credential makes the
// same key of the same one.
package credential

// KnownKey is the key of the one value of a field, or "" where there is none,
// more than one, or one that is not known.
func KnownKey(values []string, known func(string) bool, h *Hasher) string {
	if len(values) != 1 || values[0] == "" || !known(values[0]) {
		return ""
	}
	return h.Key(values[0])
}
