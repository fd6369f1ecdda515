package proxytest

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Client is somebody who sends requests to a proxy, over one connection.
type Client struct {
	IP string

	t      testing.TB
	proxy  string
	dialer net.Dialer
	http   *http.Client
}

// patience is how long a client waits for an answer.
const patience = 20 * time.Second

// NewClient is a client at an address of 127.0.0.0/8.
func NewClient(t testing.TB, ip, proxy string) *Client {
	c := &Client{IP: ip, t: t, proxy: proxy, dialer: net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(ip)}}}
	transport := &http.Transport{DialContext: c.dialer.DialContext}
	t.Cleanup(transport.CloseIdleConnections)
	c.http = &http.Client{Transport: transport, Timeout: patience}
	return c
}

// Answer is what a client got.
type Answer struct {
	Status int
	Header http.Header
	Body   string
	Seen   *Seen // what the upstream saw; nil where the answer is not its
	Took   time.Duration
}

// Get sends a GET with these header fields, pairs of a name and a value.
func (c *Client) Get(uri string, header ...string) Answer {
	c.t.Helper()
	return c.Send(http.MethodGet, uri, "", header...)
}

// gets reports whether a GET passes. A proxy may hang up instead of an answer.
func (c *Client) gets(uri string, header ...string) bool {
	c.t.Helper()
	r, err := http.NewRequest(http.MethodGet, "http://"+c.proxy+uri, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	response, err := c.http.Do(r)
	if err != nil {
		return false
	}
	response.Body.Close()
	return response.StatusCode < 400
}

// Send sends a request.
func (c *Client) Send(method, uri, body string, header ...string) Answer {
	c.t.Helper()
	r, err := http.NewRequest(method, "http://"+c.proxy+uri, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	began := time.Now()
	response, err := c.http.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	return c.read(response, began)
}

// SendRaw sends a request as it stands, on a connection of its own.
func (c *Client) SendRaw(request string) Answer {
	c.t.Helper()
	began := time.Now()
	_, response := c.connect(request)
	return c.read(response, began)
}

// try is SendRaw where the proxy may hang up instead of an answer.
func (c *Client) try(request string) (a Answer, answered bool) {
	c.t.Helper()
	conn, err := c.dialer.Dial("tcp", c.proxy)
	if err != nil {
		c.t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(patience))
	io.WriteString(conn, request) // the answer may come before it is read
	reader := bufio.NewReader(conn)
	response, err := http.ReadResponse(reader, nil)
	if err == nil && response.StatusCode == http.StatusContinue {
		response, err = http.ReadResponse(reader, nil)
	}
	if err != nil {
		return Answer{}, false
	}
	response.Body.Close()
	return Answer{Status: response.StatusCode, Header: response.Header}, true
}

// Websocket asks for a websocket, sends a text over it and returns what comes
// back. The answer has no body.
func (c *Client) Websocket(uri, text string) (Answer, string) {
	c.t.Helper()
	conn, response := c.connect("GET " + uri + " HTTP/1.1\r\nHost: " + c.proxy + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
	a := Answer{Status: response.StatusCode, Header: response.Header}
	if a.Status != http.StatusSwitchingProtocols {
		return a, ""
	}
	back := make([]byte, len(text))
	if _, err := io.WriteString(conn, text); err != nil {
		c.t.Fatal(err)
	}
	if _, err := io.ReadFull(conn.reader, back); err != nil {
		c.t.Fatal(err)
	}
	return a, string(back)
}

// connection is one that ends with the test.
type connection struct {
	net.Conn
	reader *bufio.Reader
}

func (c *Client) connect(request string) (connection, *http.Response) {
	c.t.Helper()
	conn, err := c.dialer.Dial("tcp", c.proxy)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(conn, request); err != nil {
		c.t.Fatal(err)
	}
	reader := bufio.NewReader(conn)
	response, err := http.ReadResponse(reader, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	return connection{conn, reader}, response
}

func (c *Client) read(response *http.Response, began time.Time) Answer {
	c.t.Helper()
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	a := Answer{Status: response.StatusCode, Header: response.Header, Body: string(text), Took: time.Since(began)}
	var seen Seen
	if json.Unmarshal(text, &seen) == nil && seen.URI != "" {
		a.Seen = &seen
	}
	return a
}
