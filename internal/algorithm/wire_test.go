package algorithm

import "testing"

// Whatever a server answers, reading it does not panic, and what is read makes
// sense.
func FuzzDecodeState(f *testing.F) {
	f.Add("", int64(1_800_000_000_000_000))
	f.Add("B\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01", int64(0))
	f.Add("B\x00\x06\x65\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x1f\xfb\x00\x00\x00\x00", int64(0))
	f.Add("C\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", int64(7))
	f.Add("W\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff", int64(7))
	limits := []Limit{}
	for _, kind := range []Kind{GCRA, FixedWindow, SlidingCounter} {
		for _, l := range [][2]int64{{1, 1}, {999_983, 86_400_000_000}, {1, MaxPeriod}, {1 << 32, 60_000_000}} {
			limit, err := Compile(kind, l[0], l[1], 0)
			if err != nil {
				f.Fatal(err)
			}
			limits = append(limits, limit)
		}
	}
	f.Fuzz(func(t *testing.T, text string, now int64) {
		s, ok := DecodeState(text)
		if !ok {
			return
		}
		now &= 1<<53 - 1
		for i := range limits {
			l := &limits[i]
			o := l.Read(s, now, 1)
			if o.Remaining < 0 || o.Remaining > l.Burst || o.Wait < 0 || o.Reset < 0 {
				t.Fatalf("%q at %d under %+v: %+v", text, now, *l, o)
			}
			l.Take(s, now, 1)
			s.Expires()
		}
	})
}
