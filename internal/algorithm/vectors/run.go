package vectors

import (
	"errors"
	"testing"

	"github.com/weirhq/weir/internal/algorithm"
)

// Key is one key, never used before, of whatever is under test. Its limit comes
// with every call, as it does in the stores, so that it can change.
type Key interface {
	// Take decides and charges; Yes says whether it was admitted. The receipt
	// goes to Refund, and may be anything.
	Take(limit algorithm.Limit, at, cost int64) (answer Answer, receipt any, err error)
	// Peek decides and changes nothing.
	Peek(limit algorithm.Limit, at, cost int64) (Answer, error)
	// Refund gives back what is left of a take. limit is the one that the take
	// was made under, which may no longer be the key's.
	Refund(limit algorithm.Limit, at int64, receipt any) (returned bool, err error)
}

// Keeper is a Key that can say whether its state would be forgotten. A file's
// idle lines are checked against it, and skipped where a Key does not have it.
type Keeper interface {
	// Kept reports whether the state still matters at an instant. When it does
	// not the Key may forget it, and the lines that follow show that this
	// changes nothing.
	Kept(at int64) (bool, error)
}

// Run plays an algorithm's file, each case against a key of its own.
func Run(t *testing.T, kind algorithm.Kind, open func(t *testing.T) Key) {
	for _, c := range Load(t, kind) {
		t.Run(c.Title, func(t *testing.T) { c.Run(t, kind, open(t)) })
	}
}

// Run plays one case. A wrong answer is an error and the case goes on; the
// answer is printed as the file would have it.
func (c *Case) Run(t *testing.T, kind algorithm.Kind, key Key) {
	t.Helper()
	p := player{kind: kind, key: key, charged: map[string]charged{}}
	for _, s := range c.Steps {
		got, err := p.play(&s)
		switch {
		case errors.Is(err, errors.ErrUnsupported):
			continue
		case err != nil:
			t.Fatalf("%s:%d: %v", c.File, s.Line, err)
		case got != s.Want:
			t.Errorf("%s:%d: got %s\nwant %s", c.File, s.Line, got.Format(s.Op), s.wanted())
		}
	}
}

// Answers plays one case and returns what it answered, step by step, whatever
// the file says. An idle line that the key cannot answer is answered as written.
func (c *Case) Answers(kind algorithm.Kind, key Key) ([]Answer, error) {
	p := player{kind: kind, key: key, charged: map[string]charged{}}
	answers := make([]Answer, len(c.Steps))
	for i, s := range c.Steps {
		got, err := p.play(&s)
		if errors.Is(err, errors.ErrUnsupported) {
			got, err = s.Want, nil
		}
		if err != nil {
			return nil, err
		}
		answers[i] = got
	}
	return answers, nil
}

func (s *Step) wanted() string {
	if s.Unknown {
		return "?"
	}
	return s.Want.Format(s.Op)
}

type charged struct {
	limit   algorithm.Limit
	receipt any
}

// player plays a case's steps one after another.
type player struct {
	kind    algorithm.Kind
	key     Key
	limit   algorithm.Limit
	charged map[string]charged
}

// play answers what a line of a file can say: an overrun it does not.
func (p *player) play(s *Step) (Answer, error) {
	answer, err := p.step(s)
	answer.Overrun = false
	return answer, err
}

func (p *player) step(s *Step) (Answer, error) {
	switch s.Op {
	case SetLimit:
		return p.setLimit(s.Limit), nil
	case Take:
		return p.take(s)
	case Peek:
		return p.key.Peek(p.limit, s.At, s.Cost)
	case Refund:
		return p.refund(s)
	default:
		keeper, ok := p.key.(Keeper)
		if !ok {
			return Answer{}, errors.ErrUnsupported
		}
		kept, err := keeper.Kept(s.At)
		return Answer{Yes: kept}, err
	}
}

// setLimit keeps the limit before where the new one cannot be represented, as a
// reload does.
func (p *player) setLimit(spec Spec) Answer {
	l, err := spec.Compile(p.kind)
	if r, ok := errors.AsType[*algorithm.RangeError](err); ok {
		return Answer{Field: r.Field, Min: r.Min, Max: r.Max}
	}
	p.limit = l
	return Answer{Yes: true}
}

// take stops at the first verdict that is not the one all of them must have.
func (p *player) take(s *Step) (Answer, error) {
	var got Answer
	for range s.Times {
		answer, receipt, err := p.key.Take(p.limit, s.At, s.Cost)
		if err != nil {
			return answer, err
		}
		got = answer
		if s.Label != "" {
			p.charged[s.Label] = charged{p.limit, receipt}
		}
		if got.Yes != s.Want.Yes && !s.Unknown {
			break
		}
	}
	return got, nil
}

func (p *player) refund(s *Step) (Answer, error) {
	c := p.charged[s.Label]
	returned, err := p.key.Refund(c.limit, s.At, c.receipt)
	if err != nil {
		return Answer{}, err
	}
	got, err := p.key.Peek(p.limit, s.At, 1)
	got.Yes = returned
	return got, err
}
