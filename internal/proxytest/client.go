package proxytest

import (
	"context"
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

	t    testing.TB
	base string
	http *http.Client
}

// NewClient is a client at an address of 127.0.0.0/8.
func NewClient(t testing.TB, ip, proxy string) *Client {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(ip)}}
	transport := &http.Transport{
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, addr)
		},
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &Client{IP: ip, t: t, base: "http://" + proxy, http: &http.Client{Transport: transport, Timeout: 20 * time.Second}}
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

// Send sends a request.
func (c *Client) Send(method, uri, body string, header ...string) Answer {
	c.t.Helper()
	r, err := http.NewRequest(method, c.base+uri, strings.NewReader(body))
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
