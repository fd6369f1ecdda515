package daemon

import (
	"bufio"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A request under way when weir is asked to stop is answered; the port says that
// it is not ready and takes nobody new.
func TestDrainAnswersWhatIsUnderWay(t *testing.T) {
	d := start(t, Options{})
	connection, err := net.Dial("tcp", strings.TrimPrefix(d.http, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	connection.SetDeadline(time.Now().Add(patience))
	const body = `{"key": "a", "limit": "5/min"}`
	send(t, connection, "POST /v1/take HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 30\r\n\r\n")
	answers := bufio.NewReader(connection)
	line, err := answers.ReadString('\n') // the handler reads the body now
	if err != nil || !strings.HasPrefix(line, "HTTP/1.1 100") {
		t.Fatal(line, err)
	}
	answers.ReadString('\n')

	stopped := make(chan error, 1)
	go func() { stopped <- d.stop() }()
	d.log.wait(t, `"msg":"draining"`)
	if s := d.status(t); s.Ready {
		t.Errorf("ready while draining: %+v", s)
	}
	waitUntil(t, "nobody new is taken", func() bool {
		late, err := net.Dial("tcp", connection.RemoteAddr().String())
		if err == nil {
			late.Close()
		}
		return err != nil
	})

	send(t, connection, body)
	a, err := http.ReadResponse(answers, nil)
	if err != nil {
		t.Fatal(err)
	}
	a.Body.Close()
	if a.StatusCode != http.StatusOK {
		t.Errorf("status %d", a.StatusCode)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	d.log.wait(t, `"msg":"stopped"`)
}

func send(t *testing.T, connection net.Conn, text string) {
	t.Helper()
	if _, err := connection.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
}
