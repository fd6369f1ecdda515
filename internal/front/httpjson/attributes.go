package httpjson

import (
	"net/http"
	"net/netip"
	"strings"

	"github.com/weirhq/weir/policy"
)

// requestAttributes are the attributes of a request as a body has them. What no
// request could have is refused rather than decided: it is a slip of the caller's.
type requestAttributes struct {
	IP      string            `json:"ip"`
	Method  string            `json:"method"` // default GET
	Host    string            `json:"host"`
	Path    string            `json:"path"` // default /
	Headers map[string]string `json:"headers"`
}

// fill checks what has a form, and puts it in the policy's attributes.
func (in *requestAttributes) fill(a *policy.Attributes) error {
	if err := in.address(a); err != nil {
		return err
	}
	switch {
	case a.Method == "":
		a.Method = http.MethodGet
	case !isToken(a.Method):
		return fail(http.StatusBadRequest, "attributes.method %q is not a method.", in.Method)
	}
	switch {
	case a.Path == "":
		a.Path = "/"
	case a.Path[0] != '/':
		return fail(http.StatusBadRequest, "attributes.path %q does not begin with a slash.", in.Path)
	}
	return in.header(a)
}

func (in *requestAttributes) address(a *policy.Attributes) (err error) {
	if in.IP == "" {
		return nil
	}
	a.IP, err = netip.ParseAddr(in.IP)
	switch {
	case err != nil:
		return fail(http.StatusBadRequest, "attributes.ip %q is not an IP address.", in.IP)
	case a.IP.IsUnspecified():
		return fail(http.StatusBadRequest, "attributes.ip %q is nobody's address.", in.IP)
	}
	return nil
}

// header refuses two spellings of one name: which of them counted would be
// chance.
func (in *requestAttributes) header(a *policy.Attributes) error {
	a.Header = make(http.Header, len(in.Headers))
	for name, value := range in.Headers {
		if !isToken(name) {
			return fail(http.StatusBadRequest, "attributes.headers: %q is not the name of a header.", name)
		}
		canonical := http.CanonicalHeaderKey(name)
		if a.Header[canonical] != nil {
			return fail(http.StatusBadRequest, "attributes.headers: %s stands there twice.", canonical)
		}
		a.Header[canonical] = []string{value}
	}
	return nil
}

// isToken: RFC 9110, section 5.6.2, of which methods and header names are made.
func isToken(text string) bool {
	for i := range len(text) {
		c := text[i]
		if c <= ' ' || c > '~' || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return text != ""
}
