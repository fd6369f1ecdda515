package proxy

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// Bounds on what an upstream may hold open or send.
const (
	dialTimeout = 5 * time.Second
	// idleTimeout is below the five seconds after which Node.js and uvicorn close
	// a connection: a request that meets the close is not sent again, so it is
	// better that we close first.
	idleTimeout      = 4 * time.Second
	continueTimeout  = time.Second // for the upstream to ask for a body; then it is sent
	maxIdle          = 1024        // connections
	maxHeaderBytes   = 256 << 10
	pingAfter        = 15 * time.Second // of silence on HTTP/2
	pingTimeout      = 5 * time.Second
	bufferBytes      = 32 << 10
	connectionBuffer = 8 << 10
	maxDirectBody    = 8 << 10
	maxInformational = 6 // answers of 100 to 199 before the one, and that
)

// newTransport keeps as many connections as there are callers at a time. The
// default of two for a host closes and opens one for nearly every request.
func newTransport(upstream *Upstream, timeout time.Duration) *http.Transport {
	dialer := &net.Dialer{Timeout: dialTimeout}
	t := &http.Transport{
		// No Proxy: a variable of the environment must not lead requests elsewhere.
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := dialer.DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return &connection{Conn: c, pace: pace{timeout: timeout}}, nil
		},
		TLSHandshakeTimeout:    dialTimeout,
		ResponseHeaderTimeout:  timeout,
		ExpectContinueTimeout:  continueTimeout,
		IdleConnTimeout:        idleTimeout,
		MaxIdleConns:           maxIdle,
		MaxIdleConnsPerHost:    maxIdle,
		MaxResponseHeaderBytes: maxHeaderBytes,
		ReadBufferSize:         connectionBuffer,
		WriteBufferSize:        connectionBuffer,
		DisableCompression:     true, // what the client asked for is what it gets
		ForceAttemptHTTP2:      true,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingTimeout, WriteByteTimeout: timeout},
	}
	if upstream.h2c {
		t.Protocols = new(http.Protocols)
		t.Protocols.SetUnencryptedHTTP2(true)
	}
	return t
}

// connection is one to the upstream, which may not stop reading in the middle of
// a request.
type connection struct {
	net.Conn
	pace pace // of writing, of which one goroutine at a time does any
}

// Write implements io.Writer.
func (c *connection) Write(p []byte) (int, error) {
	if deadline, due := c.pace.extend(); due {
		c.SetWriteDeadline(deadline)
	}
	return c.Conn.Write(p)
}

// buffers are reused by answers' bodies, as an httputil.BufferPool.
type buffers struct{ pool sync.Pool }

// Get implements httputil.BufferPool.
func (b *buffers) Get() []byte {
	if one, ok := b.pool.Get().(*[bufferBytes]byte); ok {
		return one[:]
	}
	return make([]byte, bufferBytes)
}

// Put implements httputil.BufferPool. An array's pointer goes into the pool
// without an allocation, a slice would need one.
func (b *buffers) Put(one []byte) { b.pool.Put((*[bufferBytes]byte)(one)) }
