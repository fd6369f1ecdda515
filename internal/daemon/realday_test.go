package daemon

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

const hourly = "layers: [{name: hourly, by: ip, limit: 60/h, algorithm: fixed-window}]"

// logged is one request of the log.
type logged struct {
	at               time.Time
	ip, method, path string
}

// body is the request as the body of a take.
func (l *logged) body() string {
	text, _ := json.Marshal(map[string]any{"attributes": map[string]string{"ip": l.ip, "method": l.method, "path": l.path}})
	return string(text)
}

var combined = regexp.MustCompile(`^(\S+) \S+ \S+ \[([^]]+)\] "(\S+) (\S+) [^"]*" \d+ \d+ "`)

// day reads testdata/nginx_api_day; rest is the number of lines that begin no
// record.
func day(t *testing.T) (requests []logged, rest int) {
	t.Helper()
	f, err := os.Open("testdata/nginx_api_day/2024-05-15.log")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		m := combined.FindStringSubmatch(lines.Text())
		if m == nil {
			rest++
			continue
		}
		at, err := time.Parse("02/Jan/2006:15:04:05 -0700", m[2])
		if err != nil {
			t.Fatal(err)
		}
		requests = append(requests, logged{at: at, ip: m[1], method: m[3], path: m[4]})
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return requests, rest
}

// A real day at 60 an hour for each address, by the log's own clock. What must be
// refused was counted without weir:
//
//	awk '$4 ~ /^\[15\/May\/2024/ { n[$1, substr($4, 2, 14)]++ }
//	     END { for (k in n) { all += n[k]; if (n[k] > 60) refused += n[k] - 60 }
//	           print all, refused }' testdata/nginx_api_day/2024-05-15.log
//
// prints 1145 651.
func TestRealDayRefusesWhatAwkCounts(t *testing.T) {
	const all, wantRefused, broken = 1145, 651, 384
	requests, rest := day(t)
	if len(requests) != all || rest != broken {
		t.Fatalf("%d requests and %d other lines, want %d and %d", len(requests), rest, all, broken)
	}
	s := newService(t, hourly)
	refused := map[string]int{}
	total := 0
	for i := range requests {
		var got take
		s.clock.set(requests[i].at)
		if s.post("/v1/take", requests[i].body(), http.StatusOK, &got); !got.Allowed {
			refused[requests[i].ip]++
			total++
		}
	}
	if total != wantRefused || fmt.Sprint(refused) != "map[198.18.0.2:142 198.18.0.22:488 198.18.0.4:21]" {
		t.Errorf("%d were refused, %v; want %d", total, refused, wantRefused)
	}
}

// The same day sent to a running daemon as fast as it takes it: every request is
// answered.
func TestRealDayIsAnsweredInBatches(t *testing.T) {
	requests, _ := day(t)
	d := start(t, Options{Config: write(t, hourly)})
	const size = 50
	answers := make([]take, len(requests))
	var senders sync.WaitGroup
	for from := 0; from < len(requests); from += size {
		to := min(from+size, len(requests))
		senders.Go(func() { sendBatch(t, d.http, requests[from:to], answers[from:to]) })
	}
	senders.Wait()

	admitted, want, seen := 0, 0, map[string]int{}
	for i, a := range answers {
		if a.ID == "" || a.Error != nil || len(a.Limits) != 1 || a.Limits[0].Key != "ip:"+requests[i].ip {
			t.Fatalf("request %d, %+v, was answered %+v", i, requests[i], a)
		}
		if a.Allowed {
			admitted++
		}
		if seen[requests[i].ip]++; seen[requests[i].ip] <= 60 {
			want++
		}
	}
	if admitted < want || admitted > 2*want { // above it where the hour ended in between
		t.Errorf("%d were admitted, want %d", admitted, want)
	}
}

func sendBatch(t *testing.T, url string, requests []logged, answers []take) {
	bodies := make([]string, len(requests))
	for i := range requests {
		bodies[i] = requests[i].body()
	}
	a, err := http.Post(url+"/v1/take/batch", "application/json", bytes.NewBufferString("["+strings.Join(bodies, ",")+"]"))
	if err != nil {
		t.Error(err)
		return
	}
	defer a.Body.Close()
	var got []take
	if err := json.NewDecoder(a.Body).Decode(&got); err != nil || a.StatusCode != http.StatusOK || len(got) != len(answers) {
		t.Errorf("status %d, %d answers to %d requests, %v", a.StatusCode, len(got), len(answers), err)
	}
	copy(answers, got)
}
