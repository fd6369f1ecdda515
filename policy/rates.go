package policy

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/weirhq/weir"
)

// leaf compiles a rate or a word.
func (k *compiler) leaf(t *terms, l *Limit, path string, s Settings, name string) {
	if l.Rate == wordUnlimited {
		k.bare(l, path)
		return
	}
	rate, ok := k.rate(t, l, path)
	if !ok {
		return
	}
	compiled, err := newLimit(rate, s, l.Lease > 0 && l.Rate != wordBlocked)
	if err != nil {
		k.limitError(t, path, err)
		return
	}
	named := name != ""
	if !named {
		name = limitName(l.Rate, rate)
	} else if !validName(name) {
		k.fail(inField(path, "name"), nameHint, "the limit's name is %q", name)
	}
	if !compiled.Blocked() && s.Cost.Header == "" && s.Cost.N > compiled.Capacity() {
		k.fail(k.costPath(path), "lower it, or raise the "+capacityWord(compiled), "%s: the cost %d is above the %d that %s admits at once, so every request would be refused", t.owner, s.Cost.N, compiled.Capacity(), compiled)
		return
	}
	one := limit{name: name, named: named, limit: compiled, cost: newCost(s.Cost), shadow: s.Shadow, onError: onErrorOf(s.OnError), path: path}
	if slices.ContainsFunc(t.out, func(o limit) bool { return o.name == name }) {
		k.fail(path, "give one a name: {limit: "+rate.String()+", name: …}", "%s: two limits are named %q", t.owner, name)
		return
	}
	t.out = append(t.out, one)
}

// newLimit leaves out a lease that does not fit, unless it is the limit's own: what
// is around it is meant for those that it fits.
func newLimit(rate weir.Rate, s Settings, own bool) (*weir.Limit, error) {
	options := limitOptions(s)
	if s.Lease <= 0 {
		return weir.NewLimit(rate, options...)
	}
	leased, err := weir.NewLimit(rate, append(options, weir.WithLease(int64(s.Lease)))...)
	if err != nil && !own {
		return weir.NewLimit(rate, options...)
	}
	return leased, err
}

// rate reads a leaf's rate, and writes it back in canonical form.
func (k *compiler) rate(t *terms, l *Limit, path string) (weir.Rate, bool) {
	if l.Rate == wordBlocked {
		k.bare(l, path)
		return weir.Rate{Count: 0, Period: weir.PerSecond(0).Period}, true
	}
	text := strings.TrimSpace(l.Rate)
	rate, err := weir.ParseRate(text)
	if err != nil {
		k.rateError(t, path, text, err)
		return rate, false
	}
	k.rewrite(&l.Rate, rate.String())
	return rate, true
}

func (k *compiler) rateError(t *terms, path, text string, err error) {
	at := k.ratePath(path)
	var wrong *weir.RateError
	if !errors.As(err, &wrong) {
		k.fail(at, "", "%v", err)
		return
	}
	hint := wrong.Hint
	if near := weir.Nearest(text, []string{wordPlan, wordUnlimited, wordBlocked}); near != "" && !strings.Contains(text, "/") {
		hint = "did you mean " + near + "?"
	} else if strings.HasPrefix(wrong.Reason, "has a count above") {
		hint = fmt.Sprintf("counts go up to %d for fixed-window, %d for gcra and token-bucket, %d for the others", int64(1)<<53, int64(1)<<40, int64(1)<<32)
	}
	k.fail(at, hint, "%s: %q %s", t.owner, text, wrong.Reason)
}

// ratePath is where a LIMIT's rate stands: within a map, or as the LIMIT itself.
func (k *compiler) ratePath(path string) string {
	inside := inField(path, "limit")
	if _, ok := k.c.source.marks[inside]; ok {
		return inside
	}
	return path
}

// costPath is where a LIMIT's cost stands, or the LIMIT where that is around it.
func (k *compiler) costPath(path string) string {
	own := inField(path, "cost")
	if _, ok := k.c.source.marks[own]; ok {
		return own
	}
	return k.ratePath(path)
}

func capacityWord(l *weir.Limit) string {
	if l.Algorithm().HasBurst() {
		return "burst"
	}
	return "limit"
}

func (k *compiler) limitError(t *terms, path string, err error) {
	var wrong *weir.LimitError
	if !errors.As(err, &wrong) {
		k.fail(path, "", "%v", err)
		return
	}
	at := k.ratePath(path)
	if wrong.Field == "burst" || wrong.Field == "lease" {
		at = inField(path, wrong.Field)
	}
	k.fail(at, "", "%s: %s: %s %s", t.owner, wrong.Rate, wrong.Field, wrong.Reason)
}

// bare refuses settings on a word that none can change.
func (k *compiler) bare(l *Limit, path string) {
	s := l.Settings
	if s.Algorithm != "" || s.Burst != 0 || s.Cost != (Cost{}) || s.Count != "" || s.Lease != 0 {
		k.fail(path, "remove them", "%s has settings, which mean nothing there", l.Rate)
	}
}

// limitName is the name of a limit that was given none, beside others: the text
// of its period.
func limitName(word string, rate weir.Rate) string {
	if word == wordBlocked {
		return wordBlocked
	}
	_, period, _ := strings.Cut(rate.String(), "/")
	return period
}

// defaultName is that of the one limit of a rule that has no name, or of the
// longest period of several: so a limit keeps what was used whatever becomes of
// its rate, and a caller keeps it who goes from 60/min to 10/s and 600/min.
const defaultName = "default"

// nameDefault gives one of the limits its default name.
func nameDefault(list []limit) {
	longest := -1
	for i := range list {
		if list[i].name == defaultName {
			return
		}
		if !list[i].named && (longest < 0 || list[i].limit.Rate().Period > list[longest].limit.Rate().Period) {
			longest = i
		}
	}
	if longest >= 0 {
		list[longest].name = defaultName
	}
}
