package resp

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
)

// session is what a client has set on its connection.
type session struct {
	protocol      int // 2 or 3
	authenticated bool
	wrongTokens   int
	database      int
	name          string
	limits        limits
	wrapper       wrapper // of the last EVAL
}

func (s *session) reset() { *s = session{protocol: 2} }

const user = "default"

// hello is HELLO [version [AUTH user password] [SETNAME name]].
func (c *connection) hello(args [][]byte) {
	protocol, named := c.protocol, c.name
	if len(args) > 0 {
		n, ok := integer(args[0])
		switch {
		case !ok:
			c.fail("ERR Protocol version is not an integer or out of range")
			return
		case n != 2 && n != 3:
			c.fail("NOPROTO unsupported protocol version")
			return
		}
		protocol, args = int(n), args[1:]
	}
	for len(args) > 0 {
		switch {
		case len(args) >= 3 && equalFold(args[0], "auth"):
			if wrong := c.authenticate(args[1], args[2]); wrong != "" {
				c.fail(wrong)
				return
			}
			args = args[3:]
		case len(args) >= 2 && equalFold(args[0], "setname"):
			if !validName(args[1]) {
				c.fail(badName)
				return
			}
			named, args = string(args[1]), args[2:]
		default:
			c.fail("ERR Syntax error in HELLO option '" + printable(args[0]) + "'")
			return
		}
	}
	c.protocol, c.name = protocol, named
	c.introduce()
}

// compatible is the version of Redis whose clients are served: what they ask of
// a newer one is not here.
const compatible = "7.0.0"

func (c *connection) introduce() {
	c.mapOf(7)
	for _, pair := range [...][2]string{{"server", "weir"}, {"version", compatible}} {
		c.bulk(pair[0])
		c.bulk(pair[1])
	}
	c.bulk("proto")
	c.integer(int64(c.protocol))
	c.bulk("id")
	c.integer(c.id)
	for _, pair := range [...][2]string{{"mode", "standalone"}, {"role", "master"}} {
		c.bulk(pair[0])
		c.bulk(pair[1])
	}
	c.bulk("modules")
	c.array(0)
}

// auth is AUTH [user] token.
func (c *connection) auth(args [][]byte) {
	name := []byte(user)
	if len(args) == 2 {
		name = args[0]
	}
	if wrong := c.authenticate(name, args[len(args)-1]); wrong != "" {
		c.fail(wrong)
		return
	}
	c.ok()
}

// maxWrongTokens end a connection, so that guessing costs one for each few.
const maxWrongTokens = 8

// authenticate gives the error reply, or nothing. A wrong token takes back what a
// right one before it had given.
func (c *connection) authenticate(name, token []byte) string {
	if c.Token == "" {
		return "ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?"
	}
	given := sha256.Sum256(token)
	c.authenticated = string(name) == user && subtle.ConstantTimeCompare(given[:], c.token[:]) == 1
	if !c.authenticated {
		c.wrongTokens++
		c.ending = c.wrongTokens == maxWrongTokens
		return "WRONGPASS invalid username-password pair or user is disabled."
	}
	return ""
}

func (c *connection) selectDatabase(text []byte) {
	n, ok := integer(text)
	switch {
	case !ok:
		c.fail("ERR value is not an integer or out of range")
	case n < 0 || n >= int64(len(spaces)):
		c.fail("ERR DB index is out of range")
	default:
		c.database = int(n)
		c.ok()
	}
}

const (
	maxName = 128 // bytes
	badName = "ERR Client names cannot contain spaces, newlines or special characters, nor have more than 128 bytes"
)

func validName(name []byte) bool {
	for _, b := range name {
		if b <= ' ' || b > '~' {
			return false
		}
	}
	return len(name) <= maxName
}

// client is CLIENT. What a client says of itself when it connects is taken;
// tracking too: there is nothing to read here that could change under a client's
// cache.
func (c *connection) client(args [][]byte) {
	switch sub := args[0]; {
	case equalFold(sub, "setinfo"), equalFold(sub, "tracking"), equalFold(sub, "caching"), equalFold(sub, "no-evict"), equalFold(sub, "no-touch"):
		c.ok()
	case equalFold(sub, "setname") && len(args) == 2:
		if !validName(args[1]) {
			c.fail(badName)
			return
		}
		c.name = string(args[1])
		c.ok()
	case equalFold(sub, "getname"):
		if c.name == "" {
			c.null()
			return
		}
		c.bulk(c.name)
	case equalFold(sub, "id"):
		c.integer(c.id)
	case equalFold(sub, "info"), equalFold(sub, "list"): // of the others nobody is told
		c.bulk(fmt.Sprintf("id=%d addr=%s laddr=%s name=%s db=%d resp=%d\n",
			c.id, c.conn.RemoteAddr(), c.conn.LocalAddr(), c.name, c.database, c.protocol))
	default:
		c.unknownSub("CLIENT", sub)
	}
}

func (c *connection) unknownSub(command string, sub []byte) {
	c.fail("ERR unknown subcommand '" + printable(sub) + "' of " + command + ", or wrong number of arguments for it")
}
