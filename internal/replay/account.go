package replay

import "github.com/weirhq/weir/internal/algorithm"

// account is the state of one key: what the store in memory has of it, without
// the store's hashing and locks, which cost more than the decision.
type account struct {
	state algorithm.State
	log   *algorithm.Log // of a sliding log; the state is zero then
}

// take decides a call that is alone in its request, and charges it. What an account
// has of another kind of limit stays until something is charged.
func (a *account) take(l *algorithm.Limit, now, cost int64) (admitted bool) {
	if l.Kind == algorithm.SlidingLog {
		return a.takeLog(l, now, cost)
	}
	state, admitted := l.Take(a.state, now, cost)
	if a.log == nil || !state.IsZero() {
		a.state, a.log = state, nil
	}
	return admitted
}

func (a *account) takeLog(l *algorithm.Limit, now, cost int64) (admitted bool) {
	log := a.log
	if log == nil {
		log = new(algorithm.Log)
	}
	if admitted = log.Take(l, now, cost); log.Len() > 0 {
		*a = account{log: log}
	}
	return admitted
}

// asks reports whether the call would pass, and changes nothing.
func (a *account) asks(l *algorithm.Limit, now, cost int64) (admitted bool) {
	if l.Kind == algorithm.SlidingLog {
		log := a.log
		if log == nil {
			log = new(algorithm.Log)
		}
		return log.Admits(l, now, cost, 0)
	}
	_, admitted = l.Take(a.state, now, cost)
	return admitted
}
