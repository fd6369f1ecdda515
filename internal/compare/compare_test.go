package compare

import (
	"bytes"
	"flag"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/browsertest"
)

var update = flag.Bool("update", false, "write what is printed into testdata")

func run(t *testing.T, traffic string, o Options) *Report {
	t.Helper()
	made, ok := Make(traffic, o.Rate)
	if !ok {
		t.Fatalf("there is no traffic %s", traffic)
	}
	r, err := Run(made, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *Report) of(t *testing.T, name string) *Outcomes {
	t.Helper()
	for i := range r.Algorithms {
		if r.Algorithms[i].Name == name {
			return &r.Algorithms[i]
		}
	}
	t.Fatalf("no outcomes of %s", name)
	return nil
}

// What the charts are to make visible, on each traffic.
func TestWhatTheAlgorithmsPromise(t *testing.T) {
	for _, traffic := range Names() {
		for _, rate := range []weir.Rate{weir.PerMinute(100), weir.PerSecond(10), weir.PerHour(7)} {
			t.Run(traffic+" "+rate.String(), func(t *testing.T) {
				r := run(t, traffic, Options{Rate: rate})
				for _, o := range r.Algorithms {
					sum := 0
					for _, b := range o.Bins {
						sum += b.Admitted + b.Refused
					}
					if o.Admitted+o.Refused != r.Requests || sum != r.Requests {
						t.Errorf("%s: %d admitted and %d refused, %d in bins, of %d", o.Name, o.Admitted, o.Refused, sum, r.Requests)
					}
				}
				count := int(rate.Count)
				if most := r.of(t, "sliding-log").Most; most > count {
					t.Errorf("sliding-log admits %d in a period", most)
				}
				if most := r.of(t, "gcra").Most; most > 2*count {
					t.Errorf("gcra admits %d in a period, more than the burst and the count", most)
				}
				bucket, gcra := r.of(t, "token-bucket"), r.of(t, "gcra")
				if bucket.Admitted != gcra.Admitted || bucket.Most != gcra.Most || bucket.Gap != gcra.Gap {
					t.Errorf("token-bucket %+v and gcra %+v differ", bucket, gcra)
				}
				apart := time.Duration(math.Ceil(float64(rate.Period.Microseconds())/float64(count))) * time.Microsecond
				if gap := r.of(t, "gcra, burst 1").Gap; gap >= 0 && gap < apart-time.Microsecond {
					t.Errorf("with a burst of 1 two pass within %v, which is less than %v", gap, apart)
				}
			})
		}
	}
}

// At the boundary the fixed window admits twice its limit within a period.
func TestDoubleBurstOfTheFixedWindow(t *testing.T) {
	r := run(t, "boundary", Options{Rate: weir.PerMinute(100)})
	if most := r.of(t, "fixed-window").Most; most != 200 {
		t.Errorf("%d within a minute, want 200", most)
	}
	if most := r.of(t, "sliding-log").Most; most != 100 {
		t.Errorf("sliding-log: %d within a minute, want 100", most)
	}
}

// A log remembers each request that it admitted, the others a few words.
func TestMemoryOfAKey(t *testing.T) {
	r := run(t, "steady", Options{Rate: weir.PerMinute(1000)})
	log, gcra, counter := r.of(t, "sliding-log").KeyBytes, r.of(t, "gcra").KeyBytes, r.of(t, "sliding-counter").KeyBytes
	if gcra < 10 || gcra > 200 || counter < gcra || counter > 1000 || log < 5000 {
		t.Errorf("gcra %d bytes, sliding-counter %d, sliding-log %d", gcra, counter, log)
	}
}

// The traffics are the same each time, and begin with a window.
func TestTrafficIsRepeatable(t *testing.T) {
	for _, name := range Names() {
		a, _ := Make(name, weir.PerMinute(90))
		b, _ := Make(name, weir.PerMinute(90))
		if len(a.At) == 0 || len(a.At) != len(b.At) || a.At[len(a.At)-1] != b.At[len(b.At)-1] {
			t.Errorf("%s: %d and %d requests", name, len(a.At), len(b.At))
		}
		for i, at := range a.At {
			if at < a.From || at >= a.To || i > 0 && at < a.At[i-1] {
				t.Fatalf("%s: request %d is at %d", name, i, at-a.From)
			}
		}
		if a.From%time.Minute.Microseconds() != 0 {
			t.Errorf("%s begins within a window", name)
		}
	}
}

// A limit that cannot be represented is an error, as for weir.NewLimit.
func TestWrongLimit(t *testing.T) {
	rate := weir.PerMinute(100)
	made, _ := Make("steady", rate)
	if _, err := Run(made, Options{Rate: rate, Burst: 1 << 50}); err == nil {
		t.Error("a burst of 2^50 is taken")
	}
}

func TestText(t *testing.T) {
	r := run(t, "boundary", Options{Rate: weir.PerMinute(100)})
	for i := range r.Algorithms {
		r.Algorithms[i].KeyBytes = 0 // it is measured
	}
	var got bytes.Buffer
	if err := r.WriteText(&got); err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/boundary.txt"
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || !bytes.Equal(got.Bytes(), want) {
		t.Errorf("%v\n%s", err, got.Bytes())
	}
}

// The page shows each algorithm, complains of nothing and asks nobody for
// anything.
func TestPage(t *testing.T) {
	r := run(t, "boundary", Options{Rate: weir.PerMinute(100)})
	file := filepath.Join(t.TempDir(), "compare.html")
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.WriteHTML(out); err != nil {
		t.Fatal(err)
	}
	out.Close()
	page := browsertest.Open(t, "file://"+file)
	page.WaitFor(`document.querySelectorAll("svg").length === 6`)
	page.WaitFor(`[...document.querySelectorAll("section")].some(s => s.innerText.includes("fixed-window") && s.innerText.includes("200 within one minute"))`)
	page.WaitFor(`getComputedStyle(document.querySelector("rect.admitted")).fill !== "rgb(0, 0, 0)"`) // the style is let run
	page.Clean()
}
