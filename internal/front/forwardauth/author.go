package forwardauth

import (
	"net/http"
	"strconv"
	"strings"
)

// author tells whose an option in the check's query may be. A proxy that has no
// query of its own for the check keeps the client's (Caddy does), others append
// it, and nginx appends the rest of the client's path to a proxy_pass that ends in
// a query: /&peek=1 is then an option.
type author struct {
	// uri is what the client asked for, unescaped; "" where no trusted peer says.
	uri string
	// stranger says that nobody who is trusted has written the query.
	stranger bool
}

func (p *Profile) author(in *reading) author {
	return author{uri: unescape(in.uri), stranger: p.proxy && !in.attributes.Trusted}
}

// mayBeClient: an option that stands anywhere in the client's URI may be a copy of
// that. Asking for a diagnosis gains a stranger nothing but a refusal.
func (a author) mayBeClient(name, value string) bool {
	if a.stranger {
		return name != "explain"
	}
	if value != "" {
		name += "=" + value
	}
	return strings.Contains(a.uri, name)
}

// claims are the options that may be the client's, as far as they cannot favour
// it. They may be the proxy's just as well, of which a client has sent a copy.
type claims struct {
	cost int64
	deny int
}

// note passes over what makes no sense: a client that could make a check fail
// would pass a proxy that lets pass what weir does not decide.
func (c *claims) note(name, value string) {
	var o options
	if known[name](&o, value) != nil {
		return
	}
	c.cost = max(c.cost, o.cost)
	// Other statuses a proxy may take for a failure of weir, and let pass.
	if c.deny == 0 && (o.deny == http.StatusUnauthorized || o.deny == http.StatusForbidden) {
		c.deny = o.deny
	}
}

func (c *claims) raise(o *options) {
	o.cost = max(o.cost, c.cost)
	if o.deny == 0 {
		o.deny = c.deny
	}
}

// unescape undoes the escapes of a query, and leaves broken ones as they are:
// whoever else has read the text may have done so too.
func unescape(text string) string {
	if !strings.ContainsAny(text, "%+") {
		return text
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '+':
			c = ' '
		case c == '%' && i+2 < len(text):
			if n, err := strconv.ParseUint(text[i+1:i+3], 16, 8); err == nil {
				c, i = byte(n), i+2
			}
		}
		out = append(out, c)
	}
	return string(out)
}
