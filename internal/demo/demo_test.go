package demo

import (
	"context"
	"io"
	"log/slog"
	"net"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	rules "github.com/weirhq/weir/policy"
)

// patience is for what happens at once, unless something is broken.
const patience = 20 * time.Second

// running is a demo with a token, on free ports.
type running struct {
	admin, policy string // the dashboard's address, the policy's file
	stop          func()
}

const token = "hunter2"

// start returns when the demo has said where it is.
func start(t *testing.T) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	in, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		defer out.Close()
		done <- Run(ctx, Options{HTTP: addressOr("", "127.0.0.1:0"), Admin: addressOr("", "127.0.0.1:0"), Token: token}, out, slog.New(slog.DiscardHandler))
	}()
	late := time.AfterFunc(patience, func() { in.CloseWithError(context.DeadlineExceeded) })
	var text strings.Builder
	for buffer := make([]byte, 4096); !strings.Contains(text.String(), "Ctrl-C ends it."); {
		n, err := in.Read(buffer)
		if err != nil {
			t.Fatalf("%v after %s", err, &text)
		}
		text.Write(buffer[:n])
	}
	late.Stop()
	go io.Copy(io.Discard, in) // ends when the demo does
	stop := sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	found := regexp.MustCompile(`at http://(\S+)/, [\s\S]*limits: (\S+)`).FindStringSubmatch(text.String())
	if found == nil {
		t.Fatalf("it says %s", &text)
	}
	return &running{found[1], found[2], stop}
}

// The end of the context is the end of everything: the daemon's port is free again,
// and the policy's file is gone.
func TestEndsWithTheContext(t *testing.T) {
	d := start(t)
	d.stop()
	l, err := net.Listen("tcp", d.admin)
	if err != nil {
		t.Fatalf("the admin port is still there: %v", err)
	}
	l.Close()
	if _, err := os.Stat(d.policy); !os.IsNotExist(err) {
		t.Errorf("the policy is still there: %v", err)
	}
}

// The layers that are told of are the policy's.
func TestLayers(t *testing.T) {
	config, err := rules.Parse("weir.yaml", policy)
	if err != nil {
		t.Fatal(err)
	}
	p, warnings, err := config.Compile(rules.Options{Secret: []byte("a secret of this test")})
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	if !slices.Equal(p.Layers(), layers) {
		t.Errorf("%q, and the policy has %q", layers, p.Layers())
	}
}

// Where the usual port is taken, a free one is chosen; what was asked for is kept.
func TestAddress(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	usual := taken.Addr().String()
	if got := addressOr("", usual); got == usual || !strings.HasPrefix(got, "127.0.0.1:") {
		t.Errorf("%s", got)
	}
	if got := addressOr("127.0.0.1:7", usual); got != "127.0.0.1:7" {
		t.Errorf("%s", got)
	}
}
