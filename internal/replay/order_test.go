package replay

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
)

const perMinute = "layers: [{name: edge, by: ip, limit: 10/min, algorithm: sliding-log}]"

// same fails unless two reports say the same of requests.
func same(t *testing.T, got, want *Report) {
	t.Helper()
	if got.Requests != want.Requests || got.Refused != want.Refused || got.Callers != want.Callers || !got.From.Equal(*want.From) || !got.To.Equal(*want.To) {
		t.Errorf("%d requests, %d refused, %d callers, %s to %s; want %d, %d, %d, %s to %s",
			got.Requests, got.Refused, got.Callers, got.From, got.To, want.Requests, want.Refused, want.Callers, want.From, want.To)
	}
	if fmt.Sprint(got.Layers[0].Ladder, got.Layers[0].Suggest) != fmt.Sprint(want.Layers[0].Ladder, want.Layers[0].Suggest) {
		t.Errorf("other limits do %v, want %v", got.Layers[0].Ladder, want.Layers[0].Ladder)
	}
}

// lines are requests of a few callers over some minutes, in the order of time.
func lines(n int) (all []string) {
	random := rand.New(rand.NewPCG(8, 3))
	for i := range n {
		all = append(all, line(fmt.Sprintf("203.0.113.%d", random.IntN(5)), i/2, "/"))
	}
	return all
}

// Lines out of order are decided in the order of time.
func TestTimeThatGoesBackwards(t *testing.T) {
	sorted := lines(3000)
	want := one(t, perMinute, strings.Join(sorted, ""))
	if want.Refused == 0 {
		t.Fatal("nothing is refused")
	}
	shuffled := append([]string(nil), sorted...)
	rand.New(rand.NewPCG(8, 4)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	got := one(t, perMinute, strings.Join(shuffled, ""))
	same(t, got, want)
	if got.Late != 0 {
		t.Errorf("%d are late", got.Late)
	}
}

// What is further out of order than the window reaches is decided late, and counted.
func TestLaterThanTheWindow(t *testing.T) {
	var log strings.Builder
	for range windowSize + 1 {
		log.WriteString(line("203.0.113.7", 60, "/"))
	}
	log.WriteString(line("203.0.113.8", 0, "/"))
	r := one(t, perMinute, log.String())
	if r.Late != 1 || r.Requests != windowSize+2 || r.From.Sub(noon).Seconds() != 60 {
		t.Errorf("%d late of %d, from %s", r.Late, r.Requests, r.From)
	}
}

// A time far ahead keeps nothing back.
func TestTimeFarAhead(t *testing.T) {
	sorted := lines(200)
	r := one(t, perMinute, line("203.0.113.9", 1e8, "/")+strings.Join(sorted, ""), sorted[0])
	if r.Late != 0 || r.From.Sub(noon) != 0 {
		t.Errorf("%d late, from %s", r.Late, r.From)
	}
}

// Several logs are merged by time, whichever way they were split.
func TestSeveralLogs(t *testing.T) {
	sorted := lines(2000)
	want := one(t, perMinute, strings.Join(sorted, ""))
	random := rand.New(rand.NewPCG(8, 5))
	logs := make([]string, 5)
	for _, l := range sorted {
		logs[random.IntN(5)] += l
	}
	same(t, one(t, perMinute, logs...), want)
}

// Compressed logs are told by their content, also of several members.
func TestGzip(t *testing.T) {
	sorted := lines(500)
	var packed bytes.Buffer
	for _, part := range [][]string{sorted[:200], sorted[200:]} {
		w := gzip.NewWriter(&packed)
		io.WriteString(w, strings.Join(part, ""))
		w.Close()
	}
	got, err := Run(t.Context(), []Input{{Name: "log", Reader: iotest.OneByteReader(bytes.NewReader(packed.Bytes()))}}, Options{Policy: compile(t, perMinute)})
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, one(t, perMinute, strings.Join(sorted, "")))

	// One that was cut short gives what is there, and says so.
	cut := packed.Bytes()[:packed.Len()-100]
	got, err = Run(t.Context(), []Input{{Name: "log", Reader: bytes.NewReader(cut)}}, Options{Policy: compile(t, perMinute)})
	if err != nil || got.Requests < 200 || got.Files[0].Error == "" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestFailures(t *testing.T) {
	if _, err := Run(t.Context(), nil, Options{Policy: compile(t, ""), Format: "combine"}); err == nil || !strings.Contains(err.Error(), "did you mean combined?") {
		t.Errorf("an unknown format gives %v", err)
	}
	var unknown *UnknownFormatError
	_, err := Run(t.Context(), []Input{{"a", strings.NewReader("one\ntwo\n")}}, Options{Policy: compile(t, "")})
	if !errors.As(err, &unknown) || unknown.File != "a" || unknown.Line != "one" {
		t.Errorf("a text that is no log gives %v", err)
	}
	broken := io.MultiReader(strings.NewReader(line("203.0.113.7", 0, "/")), iotest.ErrReader(errors.New("the disk is gone")))
	r, err := Run(t.Context(), []Input{{"a", broken}}, Options{Policy: compile(t, "")})
	if err != nil || r.Requests != 1 || r.Files[0].Error != "the disk is gone" {
		t.Errorf("a log that cannot be read gives %+v, %v", r, err)
	}
}
