package policy

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/weirhq/weir"
)

// What one decision left in the room is in no other: not where it met more layers, nor
// where it was refused or denied.
func TestRoomIsUsedAgain(t *testing.T) {
	p := mustCompile(t, plansFile)
	var room Room
	fresh, again := newEngine(t), newEngine(t)
	for i := range 400 {
		a := Attributes{IP: ip1, Method: "GET", Path: []string{"/search", "/", "/export"}[i%3], Cost: int64(i % 5)}
		if i%4 > 0 {
			a.Header = key([]string{"k-pro", "k-free", "nobody's"}[i%4-1])
		}
		want, err := p.Decide(context.Background(), fresh.store, &a)
		if err != nil {
			t.Fatal(err)
		}
		a.Room = &room
		got, err := p.Decide(context.Background(), again.store, &a)
		nameAlike(&want)
		if nameAlike(&got); err != nil || !reflect.DeepEqual(want, got) {
			t.Fatalf("request %d: %v\n%+v\n%+v", i, err, want, got)
		}
		fresh.now, again.now = fresh.now.Add(100*time.Millisecond), again.now.Add(100*time.Millisecond)
	}
}

// nameAlike makes decisions that differ in their ids alone the same.
func nameAlike(d *weir.Decision) {
	d.ID = 1
	for i := range d.Results {
		d.Results[i].ID = 1
	}
}
