package replay

import "github.com/weirhq/weir/internal/algorithm"

// maxInstants is how many instants with requests of one period are told apart.
// Where there are more, those within a maxInstants-th of the period become one, at
// the latest of their times: a need may then come out higher than it is by what
// comes in such a moment, never lower.
const maxInstants = 1024

// logDemand follows a caller of a sliding log.
type logDemand struct {
	period   int64
	instants []instant // within the last period, the oldest first
	sum      int64
	cost     int64 // of the last request
	coarse   bool  // there were too many
}

type instant struct{ at, cost int64 }

func (d *logDemand) add(now, cost int64) int64 {
	left := 0
	for left < len(d.instants) && d.instants[left].at <= now-d.period {
		d.sum -= d.instants[left].cost
		left++
	}
	d.instants = d.instants[:copy(d.instants, d.instants[left:])]
	d.append(instant{now, cost})
	d.sum += cost
	d.cost = cost
	return d.sum
}

func (d *logDemand) append(one instant) {
	n := len(d.instants)
	if n > 0 && d.together(d.instants[n-1].at, one.at) {
		d.instants[n-1] = instant{one.at, d.instants[n-1].cost + one.cost}
		return
	}
	d.instants = append(d.instants, one)
	if len(d.instants) > maxInstants && !d.coarse {
		d.coarse = true
		all := d.instants
		d.instants = all[:0]
		for _, one := range all {
			d.append(one)
		}
	}
}

// together reports whether two instants count as one.
func (d *logDemand) together(a, b int64) bool {
	if !d.coarse {
		return a == b
	}
	moment := max(1, d.period/maxInstants)
	return a/moment == b/moment
}

func (d *logDemand) before(l *algorithm.Limit, _ int64) step {
	s := step{log: new(algorithm.Log)}
	for i, one := range d.instants {
		if i == len(d.instants)-1 {
			one.cost -= d.cost
		}
		if one.cost > 0 {
			s.log.Take(l, one.at, one.cost)
		}
	}
	return s
}
