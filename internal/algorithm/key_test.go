package algorithm_test

import (
	"github.com/weirhq/weir/internal/algorithm"
	"github.com/weirhq/weir/internal/algorithm/vectors"
)

// key is one key as the package under test keeps it: a State, or a Log for the
// sliding log.
type key struct {
	kind  algorithm.Kind
	state algorithm.State
	log   *algorithm.Log
}

func newKey(kind algorithm.Kind) *key { return &key{kind: kind, log: new(algorithm.Log)} }

func (k *key) take(l *algorithm.Limit, now, n int64) (algorithm.Charge, bool) {
	var admitted bool
	if k.kind == algorithm.SlidingLog {
		admitted = k.log.Take(l, now, n)
	} else {
		k.state, admitted = l.Take(k.state, now, n)
	}
	return l.Charged(k.state, now, n), admitted
}

func (k *key) read(l *algorithm.Limit, now, n int64) algorithm.Outcome {
	if k.kind == algorithm.SlidingLog {
		return k.log.Read(l, now, n)
	}
	return l.Read(k.state, now, n)
}

func (k *key) refund(l *algorithm.Limit, now int64, c algorithm.Charge) (returned bool) {
	if k.kind == algorithm.SlidingLog {
		return k.log.Refund(c)
	}
	k.state, returned = l.Refund(k.state, now, c)
	return returned
}

func (k *key) expires() int64 {
	if k.kind == algorithm.SlidingLog {
		return k.log.Expires()
	}
	return k.state.Expires()
}

func (k *key) forget() { k.state, k.log = algorithm.State{}, new(algorithm.Log) }

func (k *key) clone() *key {
	return &key{kind: k.kind, state: k.state, log: algorithm.CloneLog(k.log)}
}

// same compares everything that is remembered.
func (k *key) same(other *key) bool {
	return k.state == other.state && algorithm.SameLog(k.log, other.log)
}

// vectorKey plays the vectors against the functions.
type vectorKey struct{ *key }

func (k vectorKey) Take(l algorithm.Limit, at, cost int64) (vectors.Answer, any, error) {
	charge, admitted := k.take(&l, at, cost)
	return vectors.Answer{Yes: admitted, Outcome: k.read(&l, at, cost)}, charge, nil
}

func (k vectorKey) Peek(l algorithm.Limit, at, cost int64) (vectors.Answer, error) {
	o := k.read(&l, at, cost)
	return vectors.Answer{Yes: cost == 0 || o.Wait == 0, Outcome: o}, nil
}

func (k vectorKey) Refund(l algorithm.Limit, at int64, receipt any) (bool, error) {
	return k.refund(&l, at, receipt.(algorithm.Charge)), nil
}

func (k vectorKey) Kept(at int64) (bool, error) {
	if at < k.expires() {
		return true, nil
	}
	k.forget()
	return false, nil
}

// vectorModel plays them against the model.
type vectorModel struct{ m model }

func (k *vectorModel) Take(l algorithm.Limit, at, cost int64) (vectors.Answer, any, error) {
	next, charge, admitted := modelTake(k.m, &l, at, cost)
	k.m = next
	return vectors.Answer{Yes: admitted, Outcome: modelOutcome(k.m, &l, at, cost)}, charge, nil
}

func (k *vectorModel) Peek(l algorithm.Limit, at, cost int64) (vectors.Answer, error) {
	o := modelOutcome(k.m, &l, at, cost)
	return vectors.Answer{Yes: cost == 0 || o.Wait == 0, Outcome: o}, nil
}

func (k *vectorModel) Refund(l algorithm.Limit, at int64, receipt any) (returned bool, err error) {
	charge := receipt.(modelCharge)
	if charge.cost > 0 {
		k.m, returned = k.m.refund(&l, at, charge)
	}
	return returned, nil
}
