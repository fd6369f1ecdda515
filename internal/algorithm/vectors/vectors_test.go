package vectors

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/weirhq/weir/internal/algorithm"
)

func TestParse(t *testing.T) {
	cases, err := Parse("x.txt", `
# a comment
== B99 a title # with a comment
limit 10/1m30s burst 20 count all
limit 1/0s : outside period 1us 407d
0s      take 1      : admitted remaining 9 wait 0s reset 1m
-1us    take 5 x3   : refused remaining 9 wait never reset 1m
1s      take 2 as A : ?
1s500ms peek 0      : admitted remaining 7 wait 166ms667us reset 0s
2s      refund A    : returned remaining 9 wait 0s reset 1s
1d      idle        : gone
`)
	if err != nil {
		t.Fatal(err)
	}
	want := []Step{
		{Line: 4, Op: SetLimit, Times: 1, Limit: Spec{Count: 10, Period: 90_000_000, Burst: 20, CountAll: true}, Want: Answer{Yes: true}},
		{Line: 5, Op: SetLimit, Times: 1, Limit: Spec{Count: 1}, Want: Answer{Field: "period", Min: 1, Max: algorithm.MaxPeriod}},
		{Line: 6, Op: Take, At: T0, Cost: 1, Times: 1, Want: answer(true, 9, 0, 60_000_000)},
		{Line: 7, Op: Take, At: T0 - 1, Cost: 5, Times: 3, Want: answer(false, 9, algorithm.Never, 60_000_000)},
		{Line: 8, Op: Take, At: T0 + 1_000_000, Cost: 2, Times: 1, Label: "A", Unknown: true},
		{Line: 9, Op: Peek, At: T0 + 1_500_000, Times: 1, Want: answer(true, 7, 166_667, 0)},
		{Line: 10, Op: Refund, At: T0 + 2_000_000, Times: 1, Label: "A", Want: answer(true, 9, 0, 1_000_000)},
		{Line: 11, Op: Idle, At: T0 + 86_400_000_000, Times: 1},
	}
	if len(cases) != 1 || cases[0].Title != "B99 a title" || cases[0].Line != 3 || !cases[0].StepsBack() {
		t.Fatalf("%+v", cases)
	}
	for i, got := range cases[0].Steps {
		if got != want[i] {
			t.Errorf("got  %+v\nwant %+v", got, want[i])
		}
	}
}

func answer(yes bool, remaining, wait, reset int64) Answer {
	return Answer{Yes: yes, Outcome: algorithm.Outcome{Remaining: remaining, Wait: wait, Reset: reset}}
}

// A mistake is told with its line.
func TestParseErrors(t *testing.T) {
	const head = "== a case\nlimit 1/1m\n"
	const ok = " : admitted remaining 1 wait 0s reset 0s"
	for text, want := range map[string]string{
		"limit 1/1m":                    `x:1: a step before the first "== title"`,
		"== a\n0s take 1" + ok:          `x:2: a step before a limit`,
		head + "limit 1":                `x:3: "1" is not COUNT/PERIOD`,
		head + "limit 1.5/1m":           `x:3: "1.5" is not a whole number from 0 to 9223372036854775807`,
		head + "limit -1/1m":            `x:3: "-1" is not a whole number from 0 to 9223372036854775807`,
		head + "limit 1/1m burst":       `x:3: the line ends where a number is due`,
		head + "limit 1/1m count some":  `x:3: only "count all" is known`,
		head + "limit 1/1m daily":       `x:3: cannot read "daily"`,
		head + "take 1" + ok:            `x:3: "take" is not a duration: want whole numbers with units d, h, m, s, ms, us`,
		head + "1.5s take 1" + ok:       `x:3: "1.5s" is not a duration: "" is no unit, or not smaller than the one before`,
		head + "1s1m take 1" + ok:       `x:3: "1s1m" is not a duration: "m" is no unit, or not smaller than the one before`,
		head + "90 take 1" + ok:         `x:3: "90" is not a duration: "" is no unit, or not smaller than the one before`,
		head + "- take 1" + ok:          `x:3: "-" is not a duration`,
		head + "999999999d take 1" + ok: `x:3: "999999999d" is too long`,
		head + "0s steal 1" + ok:        `x:3: "steal" is not take, peek, refund or idle`,
		head + "0s take" + ok:           `x:3: the line ends where a number is due`,
		head + "0s take 1 x0" + ok:      `x:3: "x0" is not x and a number of times`,
		head + "0s take 1 x2 as A" + ok: `x:3: one name for 2 takes`,
		head + "0s refund A : ?":        `x:3: no take is named A before this line`,
		head + "0s take 1 as A : refused remaining 1 wait 0s reset 0s": `x:3: a refused take needs no name`,
		head + "0s take 1 as A" + ok + "\n0s take 1 as A" + ok:         `x:4: a second take named A`,
		head + "0s take 1":                                 `x:3: the line ends where admitted or refused is due`,
		head + "0s take 1 : returned remaining 1":          `x:3: "returned" is not admitted or refused`,
		head + "0s take 1 : admitted":                      `x:3: "remaining" is due at ""`,
		head + "0s take 1 : admitted remaining 1 reset 0s": `x:3: "wait" is due at "reset 0s"`,
		head + "0s take 1" + ok + " or so":                 `x:3: cannot read "or so"`,
		head + "limit 1/1m : outside period 1 2":           `x:3: "1" is not a duration: "" is no unit, or not smaller than the one before`,
	} {
		_, err := Parse("x", text)
		if err == nil || err.Error() != want {
			t.Errorf("%q:\n got %v\nwant %s", text, err, want)
		}
	}
}

func TestDurations(t *testing.T) {
	for text, micros := range map[string]int64{
		"0s": 0, "1us": 1, "333ms334us": 333_334, "1m30s": 90_000_000, "-1us": -1, "-1m1us": -60_000_001,
		"407d": algorithm.MaxPeriod, "never": algorithm.Never, "1d1h1m1s1ms1us": 90_061_001_001,
	} {
		got, err := ParseDuration(text)
		if err != nil || got != micros {
			t.Errorf("%s: %d, %v", text, got, err)
		}
		if back := FormatDuration(micros); back != text {
			t.Errorf("%d: %s, not %s", micros, back, text)
		}
	}
	if got, err := ParseDuration("90s"); err != nil || FormatDuration(got) != "1m30s" {
		t.Errorf("90s: %d, %v", got, err)
	}
}

// The files are written as Format writes, have an answer on every line that needs
// one, and cover what they must for every algorithm.
func TestFiles(t *testing.T) {
	for _, kind := range Kinds() {
		cases := Load(t, kind)
		text := read(t, kind)
		lines := strings.Split(text, "\n")
		seen := map[string]bool{}
		for _, c := range cases {
			if seen[c.Title] {
				t.Errorf("%s:%d: a second case of that title", c.File, c.Line)
			}
			seen[c.Title] = true
			for _, s := range c.Steps {
				_, rest, answered := strings.Cut(lines[s.Line-1], " : ")
				if s.Unknown || answered && rest != s.Want.Format(s.Op) {
					t.Errorf("%s:%d: %q, not %q", c.File, s.Line, rest, s.Want.Format(s.Op))
				}
			}
		}
		for _, id := range []string{"B01", "B05", "B09", "B15", "B17", "B19", "B21", "B27", "B55", "B56", "B57"} {
			if !strings.Contains(text, "\n== "+id+" ") {
				t.Errorf("%s: no case for %s", Name(kind), id)
			}
		}
	}
}

func read(t *testing.T, kind algorithm.Kind) string {
	t.Helper()
	text, err := files.ReadFile(Name(kind) + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// countdown is a Key with a remaining of its own, to see the runner run.
type countdown struct {
	left    int64
	refunds []any
}

func (c *countdown) Take(l algorithm.Limit, at, cost int64) (Answer, any, error) {
	if cost == 13 {
		return Answer{}, nil, errors.New("thirteen")
	}
	yes := c.left >= cost
	if yes {
		c.left -= cost
	}
	return answer(yes, c.left, l.Period, at-T0), fmt.Sprint("receipt ", cost), nil
}

func (c *countdown) Peek(l algorithm.Limit, at, cost int64) (Answer, error) {
	return answer(c.left >= cost, c.left, l.Period, at-T0), nil
}

func (c *countdown) Refund(l algorithm.Limit, _ int64, receipt any) (bool, error) {
	c.refunds = append(c.refunds, receipt, l.Period)
	return true, nil
}

func TestAnswers(t *testing.T) {
	cases, err := Parse("x", `
== a countdown
limit 5/1s
1s take 1 x3 : admitted remaining 0 wait 0s reset 0s
2s take 2    : ?
limit 0/0s   : ?
limit 5/2s
3s take 1 as A : ?
limit 5/3s
3s refund A  : ?
4s idle      : kept
4s take 1 x9 : admitted remaining 0 wait 0s reset 0s
`)
	if err != nil {
		t.Fatal(err)
	}
	key := &countdown{left: 5}
	got, err := cases[0].Answers(algorithm.GCRA, key)
	if err != nil {
		t.Fatal(err)
	}
	want := []Answer{
		{Yes: true},
		answer(true, 2, 1_000_000, 1_000_000),
		answer(true, 0, 1_000_000, 2_000_000),
		{Field: "period", Min: 1, Max: algorithm.MaxPeriod},
		{Yes: true},
		answer(false, 0, 2_000_000, 3_000_000),
		{Yes: true},
		answer(true, 0, 3_000_000, 3_000_000),
		{Yes: true}, // a Key that is no Keeper is believed
		answer(false, 0, 3_000_000, 4_000_000),
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("step %d: %+v, not %+v", i, got[i], want[i])
		}
	}
	if fmt.Sprint(key.refunds) != "[receipt 1 2000000]" { // under the limit of the take
		t.Errorf("%v", key.refunds)
	}
	broken, err := Parse("x", "== a\nlimit 1/1s\n0s take 13 : ?")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := broken[0].Answers(algorithm.GCRA, key); err == nil {
		t.Error("an error of the key is lost")
	}
}

func FuzzParse(f *testing.F) {
	f.Add("== a\nlimit 1/1m\n0s take 1 x2 : admitted remaining 1 wait never reset 1d2h3m4s5ms6us\n1s idle : kept")
	f.Add("== a\nlimit 1/0s : outside period 1us 407d\n# x\n-1us refund A : nothing remaining 0 wait 0s reset 0s")
	f.Fuzz(func(t *testing.T, text string) {
		cases, err := Parse("x", text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "x:") {
				t.Fatalf("an error without a line: %v", err)
			}
			return
		}
		for _, c := range cases {
			for _, s := range c.Steps {
				again := words(strings.Fields(s.Want.Format(s.Op)))
				if s.Unknown || s.Op == SetLimit && s.Want.Yes {
					continue
				}
				if got, err := again.answer(s.Op); err != nil || got != s.Want {
					t.Fatalf("%+v reads back as %+v, %v", s.Want, got, err)
				}
			}
		}
	})
}
