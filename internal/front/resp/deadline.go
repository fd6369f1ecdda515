package resp

import "time"

// deadline is one of a connection's two. To set it is as dear as a decision, so one that
// moves with each command is set to a later time than asked for, and then not again
// until it would come too early.
type deadline struct {
	set func(time.Time) error
	at  time.Time
}

// notBefore sees that the deadline is not before an instant, nor later than that and the
// grace.
func (d *deadline) notBefore(at time.Time, grace time.Duration) {
	if latest := at.Add(grace); d.at.Before(at) || d.at.After(latest) {
		d.at = latest
		d.set(latest)
	}
}

// graceOf is how much longer than it must whoever is given so long may take.
func graceOf(d time.Duration) time.Duration { return d / 8 }
