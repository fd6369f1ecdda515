package envoyrls_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	common "github.com/envoyproxy/go-control-plane/envoy/extensions/common/ratelimit/v3"
	pb "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	envoytype "github.com/envoyproxy/go-control-plane/envoy/type/v3"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/descriptor"
	"github.com/weirhq/weir/internal/front/envoyrls"
)

// ask is a request of descriptors, each "key=value,key=value".
func ask(descriptors ...string) *pb.RateLimitRequest {
	in := &pb.RateLimitRequest{Domain: "golden"}
	for _, text := range descriptors {
		d := &common.RateLimitDescriptor{}
		for _, entry := range strings.Split(text, ",") {
			key, value, _ := strings.Cut(entry, "=")
			d.Entries = append(d.Entries, &common.RateLimitDescriptor_Entry{Key: key, Value: value})
		}
		in.Descriptors = append(in.Descriptors, d)
	}
	return in
}

// down is an engine whose store does not answer.
type down struct{}

func (down) Limit(context.Context, *descriptor.Request) (descriptor.Answer, error) {
	return descriptor.Answer{}, fmt.Errorf("redis: dial 10.0.0.9: %w", weir.ErrUnavailable)
}

// What cannot be decided has a code of its own and a fixed sentence; under the
// predecessor's rule all have one code.
func TestErrors(t *testing.T) {
	noUnit := ask("k=v")
	noUnit.Descriptors[0].Limit = &common.RateLimitDescriptor_RateLimitOverride{RequestsPerUnit: 1}
	many := ask()
	for range 101 {
		many.Descriptors = append(many.Descriptors, ask("k=v").Descriptors...)
	}
	for _, c := range []struct {
		name string
		in   *pb.RateLimitRequest
		code codes.Code
		http int
		want string
	}{
		{"no domain", &pb.RateLimitRequest{Descriptors: ask("k=v").Descriptors}, codes.InvalidArgument, 400, "The domain is empty."},
		{"no descriptors", ask(), codes.InvalidArgument, 400, "There are no descriptors."},
		{"101 descriptors", many, codes.InvalidArgument, 400, "There are more than 100 descriptors."},
		{"a limit without a unit", noUnit, codes.InvalidArgument, 400, "A limit in the request has no unit."},
		{"no decision", ask("k=v"), codes.Unavailable, 503, "No decision could be made."},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := envoyrls.New(down{}, envoyrls.Options{}).ShouldRateLimit(t.Context(), c.in)
			if s := status.Convert(err); s.Code() != c.code || s.Message() != c.want {
				t.Errorf("got %v", err)
			}
			_, err = envoyrls.New(down{}, envoyrls.Options{UnknownErrors: true}).ShouldRateLimit(t.Context(), c.in)
			if s := status.Convert(err); s.Code() != codes.Unknown || s.Message() != c.want {
				t.Errorf("as the predecessor: %v", err)
			}
		})
	}
}

func TestJSONErrors(t *testing.T) {
	h := envoyrls.New(down{}, envoyrls.Options{}).JSON()
	for _, c := range []struct {
		method, body string
		want         int
	}{
		{http.MethodGet, "", http.StatusMethodNotAllowed},
		{http.MethodPost, "", http.StatusBadRequest},
		{http.MethodPost, "[]", http.StatusBadRequest},
		{http.MethodPost, `{"domain": "golden"} {}`, http.StatusBadRequest},
		{http.MethodPost, `{"domain": "golden", "descriptors": [{"entries": [{"key": "k"}], "hitsAddend": -1}]}`, http.StatusBadRequest},
		{http.MethodPost, strings.Repeat(" ", envoyrls.MaxMessage+1), http.StatusRequestEntityTooLarge},
		{http.MethodPost, `{"domain": "golden", "descriptors": [{"entries": [{"key": "k"}]}]}`, http.StatusServiceUnavailable},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(c.method, "/json", strings.NewReader(c.body)))
		if w.Code != c.want || w.Body.String() != http.StatusText(c.want)+"\n" {
			t.Errorf("%s %.80q: %d %q, want %d", c.method, c.body, w.Code, w.Body, c.want)
		}
	}
}

// On Redis as in memory: what is given back is there again, and more hits than
// any limit admits are over it rather than an error.
func TestHits(t *testing.T) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			client := serve(t, envoyrls.New(engine{goldenSet(t), open(t)}, envoyrls.Options{}))
			for _, c := range []struct {
				hits      uint64
				back      bool
				over      bool
				remaining uint32
			}{
				{4, false, false, 1}, {3, true, false, 4}, {9, true, false, 5}, {5, false, false, 0},
				{1 << 63, false, true, 0}, {0, false, true, 0}, {1, true, false, 0},
				{1 << 63, true, false, 5}, {6, false, true, 0}, {3, true, false, 2}, {0, false, false, 2}, {1 << 63, true, false, 5},
			} {
				in := ask("min=hits")
				in.Descriptors[0].HitsAddend = wrapperspb.UInt64(c.hits)
				in.Descriptors[0].IsNegativeHits = c.back
				out, err := client.ShouldRateLimit(t.Context(), in)
				if err != nil {
					t.Fatal(err)
				}
				if s := out.Statuses[0]; (s.Code == pb.RateLimitResponse_OVER_LIMIT) != c.over || s.LimitRemaining != c.remaining {
					t.Errorf("%+v: %v", c, s)
				}
			}
		})
	}
}

// One caller cannot name itself so that another's hits are used up.
func TestNoCollision(t *testing.T) {
	set := mustLoad(t, `
domain: golden
descriptors:
  - {key: user, rate_limit: {unit: hour, requests_per_unit: 1}, descriptors: [{key: path, rate_limit: {unit: hour, requests_per_unit: 1}}]}
`)
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			s := envoyrls.New(engine{set, open(t)}, envoyrls.Options{})
			for _, text := range []string{"user=victim_path_/pay", "user=victim,path=/pay", "user=victim|path=/pay"} {
				out, err := s.ShouldRateLimit(t.Context(), ask(text))
				if err != nil || out.OverallCode != pb.RateLimitResponse_OK {
					t.Errorf("%s: %v %v", text, out, err)
				}
			}
		})
	}
}

// The metadata of what has room is sent, of a name in several the first, beside
// what was asked.
func TestMetadata(t *testing.T) {
	s := envoyrls.New(engine{goldenSet(t), stores["memory"](t)}, envoyrls.Options{Metadata: true})
	in := ask("q2=a", "meta=m")
	in.HitsAddend = 2
	want := map[string]any{
		"domain": "golden", "hitsAddend": 2.0, "quotaModeEnabled": true,
		"descriptors": []any{map[string]any{"entries": []any{"q2=a"}}, map[string]any{"entries": []any{"meta=m"}}},
		"tier":        "gold", "n": 3.0, "nested": map[string]any{"a": "b", "list": []any{1.0, "two"}},
	}
	out, err := s.ShouldRateLimit(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, out.DynamicMetadata.AsMap()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if out, err = s.ShouldRateLimit(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	delete(want, "tier")
	delete(want, "n")
	delete(want, "nested")
	want["quotaModeViolations"] = []any{0.0}
	if diff := cmp.Diff(want, out.DynamicMetadata.AsMap()); diff != "" {
		t.Errorf("both over: -want +got\n%s", diff)
	}
}

// On every store a request's own limit counts on from the configured one, and each
// status tells what was left right after it.
func TestOverrideBesideItsLimit(t *testing.T) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			client := serve(t, envoyrls.New(engine{goldenSet(t), open(t)}, envoyrls.Options{}))
			in := ask("hour=both", "hour=both", "hour=both")
			in.Descriptors[1].Limit = &common.RateLimitDescriptor_RateLimitOverride{RequestsPerUnit: 20, Unit: envoytype.RateLimitUnit_HOUR}
			for _, want := range [][]uint32{{2, 18, 0}, {0, 15, 0}} {
				out, err := client.ShouldRateLimit(t.Context(), in)
				if err != nil {
					t.Fatal(err)
				}
				for i, s := range out.Statuses {
					if s.LimitRemaining != want[i] {
						t.Errorf("descriptor %d: %d left, want %d", i, s.LimitRemaining, want[i])
					}
				}
			}
		})
	}
}

// What a descriptor brought along is told with it.
func TestMetadataOfOverrides(t *testing.T) {
	s := envoyrls.New(engine{goldenSet(t), stores["memory"](t)}, envoyrls.Options{Metadata: true})
	in := ask("none=n")
	in.Descriptors[0].HitsAddend = wrapperspb.UInt64(3)
	in.Descriptors[0].Limit = &common.RateLimitDescriptor_RateLimitOverride{RequestsPerUnit: 9, Unit: envoytype.RateLimitUnit_DAY}
	out, err := s.ShouldRateLimit(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	want := []any{map[string]any{"entries": []any{"none=n"}, "hitsAddend": 3.0, "limit": "requests_per_unit:9 unit:DAY"}}
	if diff := cmp.Diff(want, out.DynamicMetadata.AsMap()["descriptors"]); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// A refusal tells when the same request passes, where it ever does.
func TestRetryAfter(t *testing.T) {
	names := envoyrls.XRateLimit
	names.RetryAfter = "Retry-After"
	s := envoyrls.New(engine{goldenSet(t), stores["memory"](t)}, envoyrls.Options{Headers: names})
	for _, c := range []struct {
		hits uint32
		want string
	}{{4, ""}, {2, "43"}, {1, "43"}, {6, ""}} { // the clock stands 42.7s before the next minute
		in := ask("min=wait")
		in.HitsAddend = c.hits
		out, err := s.ShouldRateLimit(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, h := range out.ResponseHeadersToAdd[3:] {
			got += h.Value
		}
		if got != c.want {
			t.Errorf("%d hits: %q, want %q", c.hits, got, c.want)
		}
	}
}

// Every unit that a request's own limit can have is the one that answers name.
func TestOverrideUnits(t *testing.T) {
	s := envoyrls.New(engine{goldenSet(t), stores["memory"](t)}, envoyrls.Options{})
	for number, name := range envoytype.RateLimitUnit_name {
		if number == 0 {
			continue
		}
		in := ask("any=thing")
		in.Descriptors[0].Limit = &common.RateLimitDescriptor_RateLimitOverride{RequestsPerUnit: 9, Unit: envoytype.RateLimitUnit(number)}
		out, err := s.ShouldRateLimit(t.Context(), in)
		if err != nil || out.Statuses[0].CurrentLimit.Unit.String() != name || out.Statuses[0].LimitRemaining != 8 {
			t.Errorf("%s: %v %v", name, out, err)
		}
	}
}

func FuzzJSON(f *testing.F) {
	f.Add(`{"domain": "golden", "descriptors": [{"entries": [{"key": "min", "value": "a"}], "hitsAddend": "2"}]}`)
	f.Add(`{"domain": "golden", "descriptors": [{"entries": [{"key": "min"}], "limit": {"requestsPerUnit": 2, "unit": "HOUR"}, "isNegativeHits": true}]}`)
	f.Add(`{"domain": "golden", "descriptors": [{"entries": [{"key": "min", "value": "\ud800"}]}, null]}`)
	h := envoyrls.New(engine{goldenSet(f), stores["memory"](f)}, envoyrls.Options{Headers: envoyrls.XRateLimit, Metadata: true}).JSON()
	f.Fuzz(func(t *testing.T, body string) {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/json", strings.NewReader(body)))
		switch w.Code {
		case http.StatusOK, http.StatusTooManyRequests, http.StatusBadRequest:
		default:
			t.Errorf("%d %s", w.Code, w.Body)
		}
	})
}
