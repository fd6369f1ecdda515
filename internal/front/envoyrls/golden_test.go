package envoyrls_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	pb "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/weirhq/weir/internal/front/envoyrls"
)

// step is a line of a recording of envoyproxy/ratelimit: a request as JSON, or a
// text that is none, and its answer.
type step struct {
	Scenario    string
	Step        int
	Request     json.RawMessage
	Status      int
	ContentType string `json:"content_type"`
	Response    json.RawMessage
}

func (s *step) String() string { return fmt.Sprintf("%s/%d %s", s.Scenario, s.Step, s.Request) }

// body is what was posted.
func (s *step) body() []byte {
	var text string
	if json.Unmarshal(s.Request, &text) == nil {
		return []byte(text)
	}
	return s.Request
}

func recording(t *testing.T, file string) (steps []step) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var s step
		if err := json.Unmarshal(withResets(lines.Bytes()), &s); err != nil {
			t.Fatal(err)
		}
		steps = append(steps, s)
	}
	if len(steps) != 184 {
		t.Fatalf("%s has %d steps", file, len(steps))
	}
	return steps
}

var resets = regexp.MustCompile(`"<reset:([A-Z]+)>"`)

// unitSeconds are the predecessor's.
var unitSeconds = map[string]int64{
	"SECOND": 1, "MINUTE": 60, "HOUR": 3600, "DAY": 86400, "WEEK": 7 * 86400, "MONTH": 30 * 86400, "YEAR": 365 * 86400,
}

// withResets fills in what was cut out of the recording: how long the window goes
// on. A header's is that of the tightest limit; all tests of headers tell which.
func withResets(line []byte) []byte {
	return resets.ReplaceAllFunc(line, func(found []byte) []byte {
		return fmt.Appendf(nil, `"%ds"`, resetOf(string(resets.FindSubmatch(found)[1])))
	})
}

func resetOf(unit string) int64 {
	seconds := unitSeconds[unit]
	return seconds - instant.Unix()%seconds
}

// Every recorded answer is given again, on every store and over both protocols.
func TestGolden(t *testing.T) {
	for _, one := range []struct {
		file    string
		options envoyrls.Options
	}{
		{"default.jsonl", envoyrls.Options{}},
		{"headers.jsonl", envoyrls.Options{Headers: envoyrls.XRateLimit}},
	} {
		for name, open := range stores {
			t.Run(one.file+"/"+name+"/json", func(t *testing.T) {
				replayJSON(t, recording(t, one.file), envoyrls.New(engine{goldenSet(t), open(t)}, one.options).JSON())
			})
			t.Run(one.file+"/"+name+"/grpc", func(t *testing.T) {
				replayGRPC(t, recording(t, one.file), serve(t, envoyrls.New(engine{goldenSet(t), open(t)}, one.options)))
			})
		}
	}
}

func replayJSON(t *testing.T, steps []step, h http.Handler) {
	for _, s := range steps {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/json", bytes.NewReader(s.body())))
		if w.Code != s.Status || w.Header().Get("Content-Type") != s.ContentType {
			t.Errorf("%v: %d %s, want %d %s", &s, w.Code, w.Header().Get("Content-Type"), s.Status, s.ContentType)
		}
		var text string
		if json.Unmarshal(s.Response, &text) == nil {
			if w.Body.String() != text {
				t.Errorf("%v: %q, want %q", &s, w.Body, text)
			}
			continue
		}
		compare(t, &s, w.Body.Bytes())
	}
}

func replayGRPC(t *testing.T, steps []step, client pb.RateLimitServiceClient) {
	for _, s := range steps {
		var in pb.RateLimitRequest
		if protojson.Unmarshal(s.body(), &in) != nil {
			continue // no message says this
		}
		out, err := client.ShouldRateLimit(t.Context(), &in)
		if s.Status == http.StatusBadRequest {
			if status.Code(err) != codes.InvalidArgument {
				t.Errorf("%v: %v %v", &s, out, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%v: %v", &s, err)
		}
		text, err := protojson.Marshal(out)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, &s, text)
	}
}

func compare(t *testing.T, s *step, answer []byte) {
	t.Helper()
	var got, want map[string]any
	if err := json.Unmarshal(answer, &got); err != nil {
		t.Fatalf("%v: %v: %s", s, err, answer)
	}
	if err := json.Unmarshal(s.Response, &want); err != nil {
		t.Fatal(err)
	}
	fillReset(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%v: -recorded +answered\n%s", s, diff)
	}
}

// fillReset puts the seconds in place of a header's "<reset>": those of the limit
// that the two headers before tell of, the first that fits them.
func fillReset(answer map[string]any) {
	headers, _ := answer["responseHeadersToAdd"].([]any)
	if len(headers) != 3 {
		return
	}
	value := func(i int) string { return headers[i].(map[string]any)["value"].(string) }
	for _, s := range answer["statuses"].([]any) {
		status := s.(map[string]any)
		limit, _ := status["currentLimit"].(map[string]any)
		if fmt.Sprint(number(limit["requestsPerUnit"])) == value(0) && fmt.Sprint(number(status["limitRemaining"])) == value(1) {
			headers[2].(map[string]any)["value"] = strings.TrimSuffix(status["durationUntilReset"].(string), "s")
			return
		}
	}
}

func number(v any) float64 {
	f, _ := v.(float64)
	return f
}
