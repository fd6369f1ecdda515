package redistest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
)

// Conn is one connection to a server, for what a test asks it: the plainest client
// there can be.
type Conn struct {
	conn net.Conn
	r    *bufio.Reader
}

// patience is how long an exchange may take.
const patience = 10 * time.Second

// Dial connects.
func Dial(addr string) (*Conn, error) {
	c, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		return nil, err
	}
	return &Conn{c, bufio.NewReader(c)}, nil
}

// Close ends the connection.
func (c *Conn) Close() error { return c.conn.Close() }

// Do sends a command and returns its reply, see [Conn.Reply].
func (c *Conn) Do(args ...string) (string, error) {
	if err := c.Send(args...); err != nil {
		return "", err
	}
	return c.Reply()
}

// Send sends a command and waits for nothing.
func (c *Conn) Send(args ...string) error {
	c.conn.SetDeadline(time.Now().Add(patience))
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(args))
	for _, a := range args {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(a), a)
	}
	_, err := io.WriteString(c.conn, b.String())
	return err
}

// Reply reads a reply as text: an array's elements are a line each, nothing is an
// empty text. An error reply is an error.
func (c *Conn) Reply() (string, error) {
	line, err := c.r.ReadString('\n')
	if err != nil {
		return "", err
	}
	kind, text := line[0], strings.TrimRight(line[1:], "\r\n")
	switch kind {
	case '-':
		return text, errors.New(text)
	case '$':
		return c.bulk(text)
	case '*':
		return c.array(text)
	default:
		return text, nil
	}
}

func (c *Conn) bulk(length string) (string, error) {
	n, err := strconv.Atoi(length)
	if err != nil || n < 0 {
		return "", err
	}
	b := make([]byte, n+2)
	_, err = io.ReadFull(c.r, b)
	return string(b[:n]), err
}

func (c *Conn) array(length string) (string, error) {
	n, err := strconv.Atoi(length)
	if err != nil {
		return "", err
	}
	var elements []string
	for range n {
		e, err := c.Reply()
		if err != nil {
			return e, err
		}
		elements = append(elements, e)
	}
	return strings.Join(elements, "\n"), nil
}
