package replay

// merge hands out the requests of several logs in the order of time, and of equal
// times in the order of the logs.
type merge struct{ windows []*window }

// windowSize is how many requests all windows hold together; one log's is never
// below windowLeast.
const (
	windowSize  = 1 << 15
	windowLeast = 1 << 10
)

func newMerge(sources []*source) *merge {
	m := &merge{}
	for _, s := range sources {
		m.windows = append(m.windows, newWindow(s, max(windowLeast, windowSize/len(sources))))
	}
	return m
}

// next is false when all logs have ended.
func (m *merge) next(e *request) bool {
	var oldest *request
	var from *window
	for _, w := range m.windows {
		if first := w.peek(); first != nil && (oldest == nil || first.at < oldest.at) {
			oldest, from = first, w
		}
	}
	if oldest == nil {
		return false
	}
	*e = *oldest
	from.take()
	return true
}
