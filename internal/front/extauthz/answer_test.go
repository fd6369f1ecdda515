package extauthz

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"testing"

	core "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	auth "github.com/envoyproxy/go-control-plane/envoy/service/auth/v3"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/httplimit"
)

// decided is a decision of one limit, 10/min, in a layer.
func decided(t testing.TB, taken int64, shadow bool) weir.Decision {
	t.Helper()
	limiter, err := weir.New(weir.PerMinute(10))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := limiter.AllowN(t.Context(), "k", taken); err != nil {
		t.Fatal(err)
	}
	r, err := limiter.Allow(t.Context(), "k")
	if err != nil {
		t.Fatal(err)
	}
	check := weir.Check{Key: weir.Key{Layer: "endpoint", Limit: "search", Identity: "k"}, Limit: limiter.Limit(), Cost: 1, Group: &weir.Group{Shadow: shadow}}
	return weir.Decide(7, []weir.Check{check}, []weir.Result{r})
}

func TestAllowed(t *testing.T) {
	e := &engine{decision: decided(t, 3, false)}
	out := check(t, e, "10.0.0.1", attributes("203.0.113.7"))
	if out.GetStatus().GetCode() != 0 || out.GetDeniedResponse() != nil {
		t.Fatalf("%v", out)
	}
	fields := fieldsOf(t, out.GetOkResponse().GetResponseHeadersToAdd())
	if fields["X-Ratelimit-Limit"] != "10" || fields["X-Ratelimit-Remaining"] != "6" || fields["Weir-Decision"] != weir.ID(7).String() || len(fields) != 6 {
		t.Errorf("%v", fields)
	}
	if len(out.GetOkResponse().GetHeaders()) != 0 {
		t.Errorf("the upstream gets %v", out.GetOkResponse().GetHeaders())
	}
}

func TestRefused(t *testing.T) {
	e := &engine{decision: decided(t, 10, false)}
	out := check(t, e, "10.0.0.1", attributes("203.0.113.7"))
	denied := out.GetDeniedResponse()
	if out.GetStatus().GetCode() == 0 || denied.GetStatus().GetCode() != 429 {
		t.Fatalf("%v", out)
	}
	fields := fieldsOf(t, denied.GetHeaders())
	if fields["Retry-After"] != "6" || fields["X-Ratelimit-Remaining"] != "0" || fields["Cache-Control"] != "no-store" || fields["Content-Type"] != "application/problem+json" {
		t.Errorf("%v", fields)
	}
	var p httplimit.Problem
	if err := json.Unmarshal([]byte(denied.GetBody()), &p); err != nil || p.Type != httplimit.QuotaExceeded || p.Status != 429 || !slices.Equal(p.ViolatedPolicies, []string{"endpoint"}) {
		t.Errorf("%v %s", err, denied.GetBody())
	}
}

func TestRefusedAs(t *testing.T) {
	e, in := &engine{decision: decided(t, 10, false)}, attributes("203.0.113.7")
	in.ContextExtensions = map[string]string{"deny": "403"}
	denied := check(t, e, "10.0.0.1", in).GetDeniedResponse()
	if fields := fieldsOf(t, denied.GetHeaders()); denied.GetStatus().GetCode() != 403 || fields["Weir-Status"] != "429" || fields["Retry-After"] != "6" {
		t.Errorf("%v", denied)
	}
}

func TestDeniedByAList(t *testing.T) {
	e := &engine{decision: weir.Deny(7, "the address is on the deny list")}
	denied := check(t, e, "10.0.0.1", attributes("203.0.113.7")).GetDeniedResponse()
	if fields := fieldsOf(t, denied.GetHeaders()); denied.GetStatus().GetCode() != 403 || fields["Retry-After"] != "" {
		t.Errorf("%v", denied)
	}
}

// No decision is an answer, 503: an error would pass under failure_mode_allow. It
// has no figure, no wait, and not the cause.
func TestNoDecision(t *testing.T) {
	e := &engine{err: errors.New("redis: dial 10.0.0.9: refused")}
	out := check(t, e, "10.0.0.1", attributes("203.0.113.7"))
	denied := out.GetDeniedResponse()
	if out.GetStatus().GetCode() == 0 || denied.GetStatus().GetCode() != 503 || out.GetDynamicMetadata() != nil {
		t.Fatalf("%v", out)
	}
	names := slices.Sorted(maps.Keys(fieldsOf(t, denied.GetHeaders())))
	if !slices.Equal(names, []string{"Cache-Control", "Content-Type"}) {
		t.Errorf("%v", names)
	}
	if want := `{"type":"about:blank","title":"Service Unavailable","status":503,"detail":"No decision could be made."}` + "\n"; denied.GetBody() != want {
		t.Errorf("%s", denied.GetBody())
	}
}

func TestMetadata(t *testing.T) {
	id, degraded := weir.ID(7).String(), decided(t, 10, false)
	degraded.Degraded = true
	for _, one := range []struct {
		name     string
		decision weir.Decision
		want     map[string]any
	}{
		{"allowed", decided(t, 0, false), map[string]any{"decision": id, "outcome": "allowed", "layer": "endpoint"}},
		{"limited", degraded, map[string]any{"decision": id, "outcome": "limited", "layer": "endpoint", "degraded": true}},
		{"shadow", decided(t, 10, true), map[string]any{"decision": id, "outcome": "allowed", "shadow": "endpoint"}},
		{"denied", weir.Deny(7, "listed"), map[string]any{"decision": id, "outcome": "denied"}},
	} {
		t.Run(one.name, func(t *testing.T) {
			got := check(t, &engine{decision: one.decision}, "10.0.0.1", attributes("203.0.113.7")).GetDynamicMetadata().AsMap()
			if !maps.Equal(got, one.want) {
				t.Errorf("%v, want %v", got, one.want)
			}
		})
	}
}

// fieldsOf wants each field once, and in place of the upstream's.
func fieldsOf(t testing.TB, options []*core.HeaderValueOption) map[string]string {
	t.Helper()
	fields := map[string]string{}
	for _, o := range options {
		if o.GetAppendAction() != core.HeaderValueOption_OVERWRITE_IF_EXISTS_OR_ADD || fields[o.GetHeader().GetKey()] != "" {
			t.Errorf("%v", o)
		}
		fields[o.GetHeader().GetKey()] = o.GetHeader().GetValue()
	}
	return fields
}

var _ auth.AuthorizationServer = (*Service)(nil)
