package vectors

import (
	"fmt"
	"strconv"
	"strings"
)

// Parse reads a file's text; see README.md. An error starts with
// FILE:LINE.
func Parse(file, text string) ([]Case, error) {
	var cases []Case
	line := 0
	for raw := range strings.SplitSeq(text, "\n") {
		line++
		content, _, _ := strings.Cut(raw, "#")
		content = strings.TrimSpace(content)
		title, isTitle := strings.CutPrefix(content, "== ")
		switch {
		case content == "":
		case isTitle:
			cases = append(cases, Case{Title: strings.TrimSpace(title), File: file, Line: line})
		case len(cases) == 0:
			return nil, fmt.Errorf("%s:%d: a step before the first \"== title\"", file, line)
		default:
			step, err := parseStep(content)
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", file, line, err)
			}
			step.Line = line
			last := &cases[len(cases)-1]
			last.Steps = append(last.Steps, step)
		}
	}
	for _, c := range cases {
		if err := c.check(); err != nil {
			return nil, err
		}
	}
	return cases, nil
}

// check refuses a case whose steps do not fit each other.
func (c *Case) check() error {
	limited, labels := false, map[string]bool{}
	for _, s := range c.Steps {
		switch {
		case s.Op == SetLimit:
			limited = limited || s.Want.Yes
		case !limited:
			return fmt.Errorf("%s:%d: a step before a limit", c.File, s.Line)
		case s.Op == Take && s.Label != "":
			if labels[s.Label] {
				return fmt.Errorf("%s:%d: a second take named %s", c.File, s.Line, s.Label)
			}
			if !s.Want.Yes && !s.Unknown {
				return fmt.Errorf("%s:%d: a refused take needs no name", c.File, s.Line)
			}
			labels[s.Label] = true
		case s.Op == Refund && !labels[s.Label]:
			return fmt.Errorf("%s:%d: no take is named %s before this line", c.File, s.Line, s.Label)
		}
	}
	return nil
}

// words are what is left of a line.
type words []string

// next takes the next word, or fails with what was expected in its place.
func (w *words) next(want string) (string, error) {
	if len(*w) == 0 {
		return "", fmt.Errorf("the line ends where %s is due", want)
	}
	word := (*w)[0]
	*w = (*w)[1:]
	return word, nil
}

// accept takes the next word if it is this one.
func (w *words) accept(word string) bool {
	if len(*w) == 0 || (*w)[0] != word {
		return false
	}
	*w = (*w)[1:]
	return true
}

func (w *words) count() (int64, error) {
	word, err := w.next("a number")
	if err != nil {
		return 0, err
	}
	return parseCount(word)
}

func parseCount(word string) (int64, error) {
	n, err := strconv.ParseInt(word, 10, 64)
	if err != nil || n < 0 || strings.HasPrefix(word, "+") {
		return 0, fmt.Errorf("%q is not a whole number from 0 to 9223372036854775807", word)
	}
	return n, nil
}

func (w *words) named(name string, value func() (int64, error)) (int64, error) {
	if !w.accept(name) {
		return 0, fmt.Errorf("%q is due at %q", name, strings.Join(*w, " "))
	}
	return value()
}

func (w *words) duration() (int64, error) {
	word, err := w.next("a duration")
	if err != nil {
		return 0, err
	}
	return ParseDuration(word)
}

func parseStep(content string) (Step, error) {
	call, answer, answered := strings.Cut(content, ":")
	w := words(strings.Fields(call))
	s, err := w.call()
	if err == nil && len(w) > 0 {
		err = fmt.Errorf("cannot read %q", strings.Join(w, " "))
	}
	if err != nil {
		return s, err
	}
	if s.Op == SetLimit && !answered {
		s.Want.Yes = true
		return s, nil
	}
	w = strings.Fields(answer)
	if len(w) == 1 && w.accept("?") {
		s.Unknown = true
		return s, nil
	}
	s.Want, err = w.answer(s.Op)
	if err == nil && len(w) > 0 {
		err = fmt.Errorf("cannot read %q", strings.Join(w, " "))
	}
	return s, err
}

func (w *words) call() (s Step, err error) {
	s.Times = 1
	if w.accept("limit") {
		s.Limit, err = w.limit()
		return s, err
	}
	at, err := w.duration()
	if err != nil {
		return s, err
	}
	s.At = T0 + at
	verb, err := w.next("take, peek, refund or idle")
	if err != nil {
		return s, err
	}
	switch verb {
	case "take":
		s.Op = Take
		err = w.take(&s)
	case "peek":
		s.Op = Peek
		s.Cost, err = w.count()
	case "refund":
		s.Op = Refund
		s.Label, err = w.next("a take's name")
	case "idle":
		s.Op = Idle
	default:
		err = fmt.Errorf("%q is not take, peek, refund or idle", verb)
	}
	return s, err
}

// take reads COST [xTIMES] [as LABEL].
func (w *words) take(s *Step) (err error) {
	if s.Cost, err = w.count(); err != nil {
		return err
	}
	if len(*w) > 0 && strings.HasPrefix((*w)[0], "x") {
		word, _ := w.next("")
		if s.Times, err = parseCount(word[1:]); err != nil || s.Times < 1 {
			return fmt.Errorf("%q is not x and a number of times", word)
		}
	}
	if w.accept("as") {
		s.Label, err = w.next("a name")
		if s.Times > 1 {
			return fmt.Errorf("one name for %d takes", s.Times)
		}
	}
	return err
}

// limit reads COUNT/PERIOD [burst N] [count all].
func (w *words) limit() (s Spec, err error) {
	word, err := w.next("COUNT/PERIOD")
	if err != nil {
		return s, err
	}
	count, period, found := strings.Cut(word, "/")
	if !found {
		return s, fmt.Errorf("%q is not COUNT/PERIOD", word)
	}
	if s.Count, err = parseCount(count); err != nil {
		return s, err
	}
	if s.Period, err = ParseDuration(period); err != nil {
		return s, err
	}
	if w.accept("burst") {
		if s.Burst, err = w.count(); err != nil {
			return s, err
		}
	}
	if w.accept("count") {
		if !w.accept("all") {
			return s, fmt.Errorf("only \"count all\" is known")
		}
		s.CountAll = true
	}
	return s, nil
}

// verdicts are each operation's words for yes and no.
var verdicts = map[Op][2]string{
	SetLimit: {"fits", "outside"},
	Take:     {"admitted", "refused"},
	Peek:     {"admitted", "refused"},
	Refund:   {"returned", "nothing"},
	Idle:     {"kept", "gone"},
}

func (w *words) answer(op Op) (a Answer, err error) {
	yes, no := verdicts[op][0], verdicts[op][1]
	word, err := w.next(yes + " or " + no)
	if err != nil {
		return a, err
	}
	if word != yes && word != no {
		return a, fmt.Errorf("%q is not %s or %s", word, yes, no)
	}
	a.Yes = word == yes
	switch {
	case op == Idle || op == SetLimit && a.Yes:
	case op == SetLimit:
		err = w.bounds(&a)
	default:
		err = w.outcome(&a)
	}
	return a, err
}

// bounds reads FIELD MIN MAX of a limit that cannot be represented; the period's
// and the drain's are durations.
func (w *words) bounds(a *Answer) (err error) {
	if a.Field, err = w.next("count, period, burst or drain"); err != nil {
		return err
	}
	value := w.count
	if inTime(a.Field) {
		value = w.duration
	}
	if a.Min, err = value(); err != nil {
		return err
	}
	a.Max, err = value()
	return err
}

func inTime(field string) bool { return field == "period" || field == "drain" }

// outcome reads remaining N wait D reset D.
func (w *words) outcome(a *Answer) (err error) {
	if a.Remaining, err = w.named("remaining", w.count); err != nil {
		return err
	}
	if a.Wait, err = w.named("wait", w.duration); err != nil {
		return err
	}
	a.Reset, err = w.named("reset", w.duration)
	return err
}

// Format writes an answer to op as the files do.
func (a Answer) Format(op Op) string {
	word := verdicts[op][1]
	if a.Yes {
		word = verdicts[op][0]
	}
	switch {
	case op == Idle || op == SetLimit && a.Yes:
		return word
	case op == SetLimit && inTime(a.Field):
		return fmt.Sprintf("%s %s %s %s", word, a.Field, FormatDuration(a.Min), FormatDuration(a.Max))
	case op == SetLimit:
		return fmt.Sprintf("%s %s %d %d", word, a.Field, a.Min, a.Max)
	}
	return fmt.Sprintf("%-8s  remaining %d  wait %s  reset %s", word, a.Remaining, FormatDuration(a.Wait), FormatDuration(a.Reset))
}
