package forwardauth

import (
	"strings"
	"testing"
)

func TestOptions(t *testing.T) {
	for _, c := range []struct {
		name, query string
		by          author
		want        options
	}{
		{"none", "", author{}, options{cost: 1}},
		{"all", "cost=3&peek=1&explain=1&deny=403&accel=@app", author{}, options{3, true, true, 403, "@app"}},
		{"escaped", "c%6Fst=%33&accel=%40app", author{}, options{cost: 3, accel: "@app"}},
		{"others", "q=1&Cost=5&costs=5&%zz=1&=&;&cost%00=5", author{}, options{cost: 1}},
		{"the first counts", "cost=2&cost=x&peek=0&peek=1", author{}, options{cost: 2}},

		{"appended", "cost=2&peek=1&cost=0&accel=@secret&explain=1", author{uri: "/a?peek=1&cost=0&accel=@secret&explain=1"}, options{cost: 2}},
		{"prepended", "peek=1&cost=0&cost=2", author{uri: "/a?peek=1&cost=0"}, options{cost: 2}},
		{"kept whole", "peek=1&explain=1&cost=0", author{uri: "/a?peek=1&explain=1&cost=0"}, options{cost: 1}},
		{"kept whole and dear", "cost=5", author{uri: "/a?cost=5"}, options{cost: 5}},
		{"appended and dear", "cost=2&cost=5", author{uri: "/a?cost=5"}, options{cost: 5}},
		{"a copy of the proxy's", "deny=403&cost=2&accel=@app", author{uri: "/a?cost=2&deny=403"}, options{cost: 2, deny: 403, accel: "@app"}},
		{"a copy of the proxy's peek is charged", "peek=1", author{uri: "/a?peek=1"}, options{cost: 1}},
		{"makes no sense", "cost=2&cost=&peek&deny=x&accel=a&cost=-1", author{uri: "/a?cost=&peek&deny=x&accel=a&cost=-1"}, options{cost: 2}},
		{"a status that may be taken for a failure", "deny=404", author{uri: "/a?deny=404"}, options{cost: 1}},
		{"the proxy's status counts", "deny=401&deny=403", author{uri: "/a?deny=403"}, options{cost: 1, deny: 401}},
		{"in the path, as nginx appends it", "cost=2&peek=1", author{uri: "/b/&peek=1"}, options{cost: 2}},

		{"behind more than are looked for", strings.Repeat("cost=1&", maxSearched) + "cost=3&peek=1&accel=@a", author{uri: "/a"}, options{cost: 3}},
		{"a stranger's", "cost=0&peek=1&accel=@app&deny=403&junk", author{stranger: true}, options{cost: 1, deny: 403}},
		{"a stranger's, dear", "cost=7", author{stranger: true}, options{cost: 7}},
		{"a stranger's wish to know", "explain=1", author{stranger: true}, options{cost: 1, explain: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := parseOptions(c.query, c.by)
			if err != nil || got != c.want {
				t.Errorf("got  %+v, %v\nwant %+v", got, err, c.want)
			}
		})
	}
}

func TestOptionsThatMakeNoSense(t *testing.T) {
	for _, query := range []string{
		"cost=", "cost=-1", "cost=1.5", "cost=9223372036854775808", "cost=2?a=1", "cost=2;x", "cost=%zz",
		"peek", "peek=2", "peek=true", "explain=yes", "deny=200", "deny=500", "deny=abc", "deny=-1",
		"accel", "accel=@", "accel=/", "accel=app", "accel=@a/b", "accel=@a%0d%0aSet-Cookie:x", "accel=/a%0ab", "accel=/a+b", "accel=/a%7f", "accel=/%c3%a9", `accel=/a\b`,
		"accel=@" + strings.Repeat("a", 256),
	} {
		if got, err := parseOptions(query, author{}); err == nil {
			t.Errorf("%.40s: %+v", query, got)
		} else if len(err.Error()) > 200 {
			t.Errorf("%.40s: a sentence of %d bytes", query, len(err.Error()))
		}
	}
	for _, accel := range []string{"@app", "@a.b-c_D9", "/internal/x?y=1", "/a", "@" + strings.Repeat("a", 255)} {
		if _, err := parseOptions("accel="+strings.ReplaceAll(accel, "&", "%26"), author{}); err != nil {
			t.Errorf("%v", err)
		}
	}
}
