package daemon

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/admin"
	"github.com/weirhq/weir/internal/front/forwardauth"
)

const search = `{"attributes": {"ip": "203.0.113.7", "path": "/search", "headers": {"X-API-Key": "k"}}}`

// refund gives a receipt back and says whether anything was given.
func (s *service) refund(receipt string) bool {
	s.t.Helper()
	var got struct{ Refunded bool }
	s.post("/v1/refund", fmt.Sprintf(`{"receipt": %q}`, receipt), http.StatusOK, &got)
	return got.Refunded
}

// remaining is what each layer would say of a search now.
func (s *service) remaining() string {
	s.t.Helper()
	var got take
	s.post("/v1/take", strings.TrimSuffix(search, "}")+`, "peek": true}`, http.StatusOK, &got)
	var left []string
	for _, l := range got.Limits {
		left = append(left, fmt.Sprint(l.Layer, " ", l.Remaining))
	}
	return strings.Join(left, ", ")
}

func TestRefundGivesBackEveryLayerOnce(t *testing.T) {
	for _, config := range []string{"", "secret: a secret of some length\n" + plans} {
		s := newService(t, config)
		var got take
		s.post("/v1/take", search, http.StatusOK, &got)
		after := s.remaining()
		if !s.refund(got.Receipt) {
			t.Errorf("nothing was given back of %q", after)
		}
		full := s.remaining()
		if full == after || !strings.HasPrefix(full, "edge 1000, ") || !strings.HasSuffix(full, "endpoint 10") {
			t.Errorf("after the refund %q, before it %q", full, after)
		}
		s.post("/v1/take", search, http.StatusOK, &take{}) // another one's
		for range 2 {
			if s.refund(got.Receipt) || s.remaining() != after {
				t.Errorf("a second refund gave something: %q, want %q", s.remaining(), after)
			}
		}
	}
}

func TestReceiptsOfAnswers(t *testing.T) {
	s := newService(t, "")
	for _, c := range []struct {
		name, body string
		receipt    bool
	}{
		{"a take", search, true},
		{"ad hoc", `{"key": "a", "limit": "1/min"}`, true},
		{"ad hoc, refused", `{"key": "a", "limit": "1/min"}`, false},
		{"a peek", `{"key": "b", "limit": "1/min", "peek": true}`, false},
		{"a cost of nothing", `{"key": "b", "limit": "1/min", "cost": 0}`, false},
		{"blocked", `{"key": "b", "limit": "0/min"}`, false},
		{"above the capacity", strings.TrimSuffix(search, "}") + `, "cost": 1001}`, false},
		// The layers before the one that refuses were charged.
		{"refused by the last layer", strings.TrimSuffix(search, "}") + `, "cost": 10}`, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got take
			s.post("/v1/take", c.body, http.StatusOK, &got)
			if (got.Receipt != "") != c.receipt {
				t.Errorf("receipt %q", got.Receipt)
			}
		})
	}
}

func TestForgedReceiptsAreRefused(t *testing.T) {
	s := newService(t, "")
	var got take
	s.post("/v1/take", search, http.StatusOK, &got)
	raw, err := base64.RawURLEncoding.DecodeString(got.Receipt)
	if err != nil {
		t.Fatal(err)
	}
	changed := append([]byte(nil), raw...)
	changed[len(changed)/2] ^= 1
	for name, receipt := range map[string]string{
		"a word": "receipt", "the id": got.ID, "no base64": "%%%", "cut short": got.Receipt[:len(got.Receipt)-3],
		"longer": got.Receipt + "AAAA", "one bit changed": base64.RawURLEncoding.EncodeToString(changed),
		"of a process with another secret": receiptOf(t, "another secret, quite long"),
	} {
		t.Run(name, func(t *testing.T) {
			var p problemBody
			s.post("/v1/refund", fmt.Sprintf(`{"receipt": %q}`, receipt), http.StatusBadRequest, &p)
			if p.Detail != "This is not a receipt of this service, or was signed with another secret." {
				t.Errorf("%+v", p)
			}
		})
	}
	if !s.refund(got.Receipt) {
		t.Error("the true receipt gives nothing after the forgeries")
	}
}

func receiptOf(t *testing.T, secret string) string {
	t.Helper()
	var got take
	newService(t, "secret: "+secret+"\n"+plans).post("/v1/take", search, http.StatusOK, &got)
	return got.Receipt
}

// Two processes with one secret and one store: what one charged the other gives
// back, and only one of them does.
func TestReceiptOfAnotherProcess(t *testing.T) {
	for _, c := range []struct {
		name          string
		first, second string // secrets
		ok            bool
	}{
		{"the same secret", "a secret of some length", "a secret of some length", true},
		{"another secret", "a secret of some length", "a secret of other length", false},
		{"no secrets: each signs with a random key", "", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			one := newService(t, "")
			two := &service{t: t, clock: one.clock, store: one.store, engine: newEngine(memoryBackend(one.store), admin.NewMetrics(), mustLoad(t, Options{Secret: c.second}))}
			two.handler = traffic(two.engine, forwardauth.Plain)
			one.engine.use(mustLoad(t, Options{Secret: c.first}))

			var got take
			one.post("/v1/take", search, http.StatusOK, &got)
			if !c.ok {
				two.post("/v1/refund", fmt.Sprintf(`{"receipt": %q}`, got.Receipt), http.StatusBadRequest, &problemBody{})
				return
			}
			if !two.refund(got.Receipt) || one.remaining() != "edge 1000, gateway 60, endpoint 10" {
				t.Errorf("the other process gave nothing back: %s", one.remaining())
			}
			if one.refund(got.Receipt) {
				t.Error("both gave it back")
			}
		})
	}
}

// The secret may stand in the configuration, of which each process has a copy.
func TestReceiptBySecretOfTheFile(t *testing.T) {
	const config = "secret: a secret of some length\n" + plans
	one, two := newService(t, config), newService(t, config)
	two.engine.store = one.engine.store
	var got take
	one.post("/v1/take", search, http.StatusOK, &got)
	if !two.refund(got.Receipt) {
		t.Error("the other process gave nothing back")
	}
}

// A reload keeps receipts good, with a secret or without.
func TestReceiptOutlivesAReload(t *testing.T) {
	for _, secret := range []string{"", "a secret of some length"} {
		s := newService(t, "")
		s.engine.use(mustLoad(t, Options{Secret: secret}))
		var got take
		s.post("/v1/take", search, http.StatusOK, &got)
		s.engine.use(mustLoad(t, Options{Secret: secret}))
		if !s.refund(got.Receipt) {
			t.Errorf("secret %q: nothing was given back", secret)
		}
	}
}

// B27: what is given back late is taken from its own window, never from the next.
func TestLateRefundLeavesTheNextWindowAlone(t *testing.T) {
	s := newService(t, "")
	const five = `{"key": "a", "limit": "5/min", "algorithm": "fixed-window"}`
	var first take
	s.clock.set(noon.Add(59*time.Second + 900*time.Millisecond))
	s.post("/v1/take", five, http.StatusOK, &first)
	s.clock.advance(200 * time.Millisecond)
	for range 5 {
		s.post("/v1/take", five, http.StatusOK, &take{})
	}
	if s.refund(first.Receipt) {
		t.Error("something was given back for a window that is over")
	}
	var sixth take
	if s.post("/v1/take", five, http.StatusOK, &sixth); sixth.Allowed {
		t.Error("the sixth of the window passed")
	}
}

// A receipt holds no more than it was charged for: refunding a hundred does not
// open more than there was.
func TestRefundsNeverRiseAboveTheCapacity(t *testing.T) {
	s := newService(t, "")
	var receipts []string
	for range 10 {
		var got take
		s.post("/v1/take", `{"key": "a", "limit": "10/min"}`, http.StatusOK, &got)
		receipts = append(receipts, got.Receipt)
	}
	s.clock.advance(time.Hour) // all has leaked
	for _, r := range receipts {
		if s.refund(r) {
			t.Error("something was given back that had leaked away")
		}
	}
	var got take
	s.post("/v1/take", `{"key": "a", "limit": "10/min", "peek": true}`, http.StatusOK, &got)
	if l := got.Limits[0]; l.Remaining != 10 || l.Limit != 10 || got.Limits[0].Algorithm != weir.GCRA.String() {
		t.Errorf("%+v", got)
	}
}
