package daemon

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/weirhq/weir/internal/certtest"
	"github.com/weirhq/weir/internal/redistest"
)

// commands sends a line of commands to the RESP port and gives what comes back,
// which ends with the connection.
func commands(t *testing.T, conn net.Conn, lines string) string {
	t.Helper()
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(patience))
	send(t, conn, lines+"QUIT\r\n")
	all, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(all), "\r\n", " ")
}

func (r *running) dialRESP(t *testing.T) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", r.resp)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// The RESP port decides in the daemon's store, beside the layers, resets with the
// admin token, and is counted.
func TestRESPPort(t *testing.T) {
	const take = "CL.THROTTLE k 1 1 60\r\n"
	for name, url := range map[string]string{"memory": "memory:", "redis": "redis://" + redistest.Start(t).Addr} {
		t.Run(name, func(t *testing.T) {
			d := start(t, Options{Config: write(t, "budget: 10s\n"+edge(5)), Store: url, Token: "token"})
			got := commands(t, d.dialRESP(t), strings.Repeat(take, 3)+"DEL k\r\nAUTH token\r\nDEL k\r\nSELECT 3\r\n"+take+"GET k\r\n")
			want := "*5 :0 :2 :1 :-1 :60 *5 :0 :2 :0 :-1 :120 *5 :1 :2 :0 :60 :120 -NOAUTH DEL needs the admin token: send it with AUTH +OK :1 +OK *5 :0 :2 :1 :-1 :60 -ERR unknown command 'GET', with args beginning with: 'k'  +OK "
			if got != want {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
			in, _ := http.NewRequest(http.MethodGet, d.admin+"/metrics", nil)
			in.Header.Set("Authorization", "Bearer token")
			_, body := do(t, in)
			for _, line := range []string{
				`weir_resp_commands_total{command="cl.throttle"} 4`, `weir_resp_commands_total{command="unknown"} 1`, `weir_resp_commands_total{command="del"} 2`,
				`weir_checks_total{layer="adhoc",limit="throttle",outcome="allowed"} 3`, `weir_checks_total{layer="adhoc",limit="throttle",outcome="refused"} 1`,
				`weir_requests_total{outcome="refused"} 1`, `weir_resp_turned_away_total 0`,
			} {
				if !strings.Contains(body, line+"\n") {
					t.Errorf("there is no %s", line)
				}
			}
		})
	}
}

// It speaks TLS like the other ports.
func TestRESPPortSpeaksTLS(t *testing.T) {
	s := startTLS(t, false)
	conn, err := tls.Dial("tcp", s.resp, &tls.Config{RootCAs: s.ca.Pool()})
	if err != nil {
		t.Fatal(err)
	}
	if got := commands(t, conn, "PING\r\n"); got != "+PONG +OK " {
		t.Error(got)
	}
}

// Where client certificates are asked for, nobody is answered without one of the
// right authority, nor without TLS.
func TestRESPPortAsksForCertificates(t *testing.T) {
	s := startTLS(t, true)
	speak := func(certificates ...tls.Certificate) string {
		conn, err := tls.Dial("tcp", s.resp, &tls.Config{RootCAs: s.ca.Pool(), Certificates: certificates})
		if err != nil {
			return ""
		}
		return ping(t, conn)
	}
	for name, got := range map[string]string{
		"without":              speak(),
		"of another authority": speak(pairOf(t, certtest.NewAuthority(t))),
		"without TLS":          ping(t, s.dialRESP(t)),
	} {
		if strings.Contains(got, "PONG") {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := speak(pairOf(t, s.ca)); got != "+PONG\r\n+OK\r\n" {
		t.Errorf("with it: %q", got)
	}
}

// ping gives what comes back before the connection ends, however it does.
func ping(t *testing.T, conn net.Conn) string {
	t.Helper()
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(patience))
	io.WriteString(conn, "PING\r\nQUIT\r\n")
	all, err := io.ReadAll(conn)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("the connection stays open")
	}
	return string(all)
}

// While the store does not answer, the memory decides.
func TestRESPPortGoesOnWithoutTheStore(t *testing.T) {
	server := redistest.Start(t)
	d := start(t, Options{Store: "redis://" + server.Addr})
	server.Kill()
	got := commands(t, d.dialRESP(t), strings.Repeat("CL.THROTTLE k 1 1 60\r\n", 3))
	if n := strings.Count(got, "*5 :0 "); n != 2 || strings.Contains(got, "-ERR") {
		t.Errorf("%d pass: %s", n, got)
	}
}

// SIGTERM and the like end the port's connections, and the daemon with them.
func TestRESPPortDrains(t *testing.T) {
	d := start(t, Options{})
	conn := d.dialRESP(t)
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(patience))
	send(t, conn, "PING\r\n")
	pong := make([]byte, len("+PONG\r\n"))
	if _, err := io.ReadFull(conn, pong); err != nil {
		t.Fatal(err)
	}
	if err := d.stop(); err != nil {
		t.Error(err)
	}
	if rest, err := io.ReadAll(conn); err != nil || len(rest) > 0 {
		t.Errorf("%q, %v", rest, err)
	}
}
