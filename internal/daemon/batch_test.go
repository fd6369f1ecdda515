package daemon

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// batch sends the items and reads as many answers.
func (s *service) batch(items ...string) []take {
	s.t.Helper()
	var got []take
	s.post("/v1/take/batch", "["+strings.Join(items, ", ")+"]", http.StatusOK, &got)
	if len(got) != len(items) {
		s.t.Fatalf("%d answers to %d requests", len(got), len(items))
	}
	return got
}

// Each item is decided after the one before it, and on its own: a bad one or a
// refused one changes nothing for the others.
func TestBatchIsDecidedInOrderAndEachOnItsOwn(t *testing.T) {
	s := newService(t, "")
	item := func(key string, cost int) string {
		return fmt.Sprintf(`{"key": %q, "limit": "5/min", "cost": %d}`, key, cost)
	}
	got := s.batch(
		item("a", 1), item("b", 5), item("a", 3), item("a", 2), item("a", 1),
		`{"key": "a", "limit": "5/mn"}`, item("a", 1), `null`, `"x"`, item("b", 1), search,
		`{"attributes": {"ip": "x"}}`, item("c", -1), `{"key": "a", "Limit": "5/min"}`, item("c", 5),
	)
	for i, want := range []string{
		"allowed 4", "allowed 0", "allowed 1", "refused 1", "allowed 0",
		`error: The rate "5/mn" has a period "mn" that is not one`,
		"refused 0",
		"error: Give attributes, to decide by the policy, or key and limit.",
		"error: The body takes an object, not a string.",
		"refused 0", "allowed 999",
		`error: attributes.ip "x" is not an IP address.`,
		"error: The cost -1 is below 0; giving back is POST /v1/refund.",
		`error: The body has no field "Limit"; did you mean "limit"?`,
		"allowed 0",
	} {
		if text := got[i].outcome(); !strings.HasPrefix(text, want) {
			t.Errorf("item %d: %s, want %s", i, text, want)
		}
	}
}

// outcome is an answer in words, for a table.
func (a *take) outcome() string {
	switch {
	case a.Error != nil && a.Error.Status != http.StatusBadRequest:
		return fmt.Sprintf("status %d", a.Error.Status)
	case a.Error != nil:
		return "error: " + a.Error.Detail
	case a.Allowed:
		return fmt.Sprint("allowed ", a.Limits[0].Remaining)
	default:
		return fmt.Sprint("refused ", a.Limits[0].Remaining)
	}
}

func TestBatchHasAtMostAThousandItems(t *testing.T) {
	s := newService(t, "")
	items := make([]string, 1000)
	for i := range items {
		items[i] = `{"key": "a", "limit": "600/min"}`
	}
	admitted := 0
	for i, a := range s.batch(items...) {
		if a.Allowed {
			admitted++
		}
		if a.Allowed != (i < 600) {
			t.Fatalf("item %d: %+v", i, a)
		}
	}
	if admitted != 600 {
		t.Errorf("%d of 600 were admitted", admitted)
	}
	if got := s.batch(); len(got) != 0 {
		t.Errorf("an empty batch has %d answers", len(got))
	}

	var p problemBody
	s.post("/v1/take/batch", "["+strings.Repeat(items[0]+",", 1000)+items[0]+"]", http.StatusBadRequest, &p)
	if p.Detail != "A batch has at most 1000 requests, this one 1001." {
		t.Errorf("%+v", p)
	}
}

// The bounds on bodies, to the byte.
func TestBoundsOfBodies(t *testing.T) {
	s := newService(t, "")
	pad := func(body string, size int) string { return body + strings.Repeat(" ", size-len(body)) }
	const one = `{"key": "a", "limit": "600/min"}`
	for _, c := range []struct {
		name, path, body string
		status           int
		detail           string
	}{
		{"a take of 64 KiB", "/v1/take", pad(one, 65536), 200, ""},
		{"a take above 64 KiB", "/v1/take", pad(one, 65537), 413, "The body is larger than 65536 bytes."},
		{"a batch of 1 MiB", "/v1/take/batch", pad("["+one+"]", 1<<20), 200, ""},
		{"a batch above 1 MiB", "/v1/take/batch", pad("["+one+"]", 1<<20+1), 413, "The body is larger than 1048576 bytes."},
		{"a refund above 64 KiB", "/v1/refund", pad(`{"receipt": "x"}`, 65537), 413, "The body is larger than 65536 bytes."},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := s.send(request{method: http.MethodPost, target: c.path, body: c.body})
			if a.status != c.status {
				t.Fatalf("status %d, want %d: %.200s", a.status, c.status, a.body)
			}
			var p problemBody
			if c.status != http.StatusOK {
				a.decode(t, &p)
			}
			if p.Detail != c.detail {
				t.Errorf("%q, want %q", p.Detail, c.detail)
			}
		})
	}
}
