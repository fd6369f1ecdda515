package clients

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/redis/rueidis"

	"github.com/weirhq/weir/internal/redistest"
)

// binary is weir, built once.
var binary = sync.OnceValues(func() (string, error) {
	file := filepath.Join("..", "..", ".tools", "clients-weir")
	file, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	out, err := exec.Command("go", "build", "-C", filepath.Join("..", ".."), "-o", file, "./cmd/weir").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return file, nil
})

// startRESP runs the daemon with its RESP port, and gives that port's address.
func startRESP(t *testing.T, store string) string {
	t.Helper()
	file, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	weir := exec.Command(file, "serve", "--store", store, "--resp", "127.0.0.1:0", "--http", "", "--admin", "", "--grpc", "", "--log-format", "json")
	weir.Env = append(os.Environ(), "WEIR_ADMIN_TOKEN=token")
	log, err := weir.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := weir.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		weir.Process.Kill()
		weir.Wait()
	})
	for lines := bufio.NewScanner(log); lines.Scan(); {
		var line struct{ Msg, RESP string }
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "serving" {
			go io.Copy(io.Discard, log)
			return line.RESP
		}
	}
	t.Fatal("weir does not serve")
	return ""
}

// first is the reply to the first of the calls that every client makes: a hundred
// against a burst of fifty, 50 per day.
var first = []int64{0, 50, 49, -1, 1728}

// Clients of Redis work as they are, with what they send when they connect, on a
// weir in memory and on one in Redis. Of a hundred calls in one pipeline exactly
// fifty pass.
func TestClientsOfRedisThrottle(t *testing.T) {
	for name, store := range map[string]func(t *testing.T) string{
		"memory": func(*testing.T) string { return "memory:" },
		"redis":  func(t *testing.T) string { return "redis://" + redistest.Start(t).Addr },
	} {
		t.Run(name, func(t *testing.T) {
			addr := startRESP(t, store(t))
			for client, call := range map[string]func(*testing.T, string) (int, []int64){
				"rueidis": viaRueidis, "go-redis": viaGoRedis, "redis-cli": viaRedisCLI,
			} {
				allowed, reply := call(t, addr)
				wantFifty(t, client, allowed, reply)
			}
			var told map[string][2]json.RawMessage
			node(t, &told, "", "throttle.mjs", "redis://"+addr, "npm")
			if len(told) != 3 {
				t.Errorf("set-up: %s", told)
			}
			for client, answer := range told {
				var allowed int
				var reply []int64
				if json.Unmarshal(answer[0], &allowed) != nil || json.Unmarshal(answer[1], &reply) != nil {
					t.Fatalf("%s: %s", client, answer)
				}
				wantFifty(t, client, allowed, reply)
			}
		})
	}
}

func wantFifty(t *testing.T, client string, allowed int, reply []int64) {
	t.Helper()
	if allowed != 50 || !slices.Equal(reply, first) {
		t.Errorf("%s: %d of 100 pass, the first reply is %v", client, allowed, reply)
	}
}

func viaRueidis(t *testing.T, addr string) (allowed int, reply []int64) {
	client, err := rueidis.NewClient(rueidis.ClientOption{InitAddress: []string{addr}})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	calls := make(rueidis.Commands, 100)
	for i := range calls {
		calls[i] = client.B().ClThrottle().Key("rueidis").MaxBurst(49).CountPerPeriod(50).Period(86400).Quantity(1).Build()
	}
	for i, answer := range client.DoMulti(t.Context(), calls...) {
		got, err := answer.AsIntSlice()
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			reply = got
		}
		if got[0] == 0 {
			allowed++
		}
	}
	return allowed, reply
}

func viaGoRedis(t *testing.T, addr string) (allowed int, reply []int64) {
	client := redis.NewClient(&redis.Options{Addr: addr, Password: "token"})
	defer client.Close()
	pipeline := client.Pipeline()
	var calls []*redis.Cmd
	for range 100 {
		calls = append(calls, pipeline.Do(t.Context(), "CL.THROTTLE", "go-redis", 49, 50, 86400))
	}
	if _, err := pipeline.Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, call := range calls {
		got, err := call.Int64Slice()
		if err != nil {
			t.Fatal(err)
		}
		if got[0] == 0 {
			allowed++
		}
	}
	reply, _ = calls[0].Int64Slice()
	if n, err := client.Del(t.Context(), "go-redis").Result(); n != 1 || err != nil {
		t.Errorf("DEL with the token: %d, %v", n, err)
	}
	return allowed, reply
}

// viaRedisCLI has redis-cli read its commands from standard input, and speak RESP3.
func viaRedisCLI(t *testing.T, addr string) (allowed int, reply []int64) {
	command := exec.CommandContext(t.Context(), "redis-cli", "-3", "-u", "redis://"+addr, "--json")
	command.Stdin = strings.NewReader(strings.Repeat("CL.THROTTLE redis-cli 49 50 86400 1\n", 100))
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		var got []int64
		if err := json.Unmarshal([]byte(line), &got); err != nil || len(got) != 5 {
			t.Fatalf("redis-cli prints %q: %v", line, err)
		}
		if reply == nil {
			reply = got
		}
		if got[0] == 0 {
			allowed++
		}
	}
	return allowed, reply
}

// redis-benchmark asks for the configuration first, and then sends pipelines.
func TestRedisBenchmarkRuns(t *testing.T) {
	addr := startRESP(t, "memory:")
	out, err := exec.CommandContext(t.Context(), "redis-benchmark", "-u", "redis://"+addr, "-n", "1000", "-c", "5", "-P", "16", "-q", "CL.THROTTLE", "key", "15", "30", "60").CombinedOutput()
	if err != nil || !regexp.MustCompile(`requests per second`).Match(out) || regexp.MustCompile(`(?i)err|warn`).Match(out) {
		t.Errorf("%v\n%s", err, out)
	}
}
