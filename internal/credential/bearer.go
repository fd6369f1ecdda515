package credential

import "strings"

// Bearer are the values without the scheme of RFC 6750, where they have it, and
// nothing where they do not.
func Bearer(values []string) []string {
	if len(values) != 1 {
		return nil
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return nil
	}
	return []string{strings.TrimLeft(token, " ")}
}
