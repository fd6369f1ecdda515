package demo

import (
	"fmt"
	"net"
	"net/http"
	"time"
)

// upstream is what weir stands before: a shop of a few words.
type upstream struct {
	server http.Server
	listen net.Listener
	ended  chan struct{}
}

func startUpstream() (*upstream, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	u := &upstream{listen: l, ended: make(chan struct{}), server: http.Server{
		ReadHeaderTimeout: 5 * time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, "The upstream answers %s %s.\n", r.Method, r.URL.Path)
		}),
	}}
	go func() {
		defer close(u.ended)
		u.server.Serve(l) // until Close
	}()
	return u, nil
}

// URL is where it listens.
func (u *upstream) URL() string { return "http://" + u.listen.Addr().String() }

// Close ends it, and whatever it is at.
func (u *upstream) Close() {
	u.server.Close()
	<-u.ended
}
