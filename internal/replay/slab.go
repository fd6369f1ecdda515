package replay

// slab makes values of one type, more in one piece of memory the more there are: to
// ask for each costs more, and so does each to the garbage collector.
type slab[T any] struct {
	left []T
	size int
}

const maxSlab = 64

func (s *slab[T]) new() *T {
	if len(s.left) == 0 {
		s.size = min(max(1, 2*s.size), maxSlab)
		s.left = make([]T, s.size)
	}
	one := &s.left[0]
	s.left = s.left[1:]
	return one
}
