package grpclimit

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	pb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/weirhq/weir"
)

func TestAnswersOfCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := newLimiter(t, atT0, weir.PerMinute(2), weir.WithAlgorithm(weir.GCRA))
		s := &service{}
		client, stop := serve(t, s, New(limiter, one, WithName("search")), false)
		defer stop()
		for _, remaining := range []string{"1", "0"} {
			header, trailer, err := call(client)
			if err != nil {
				t.Fatal(err)
			}
			checkMetadata(t, header, metadata.MD{"x-ratelimit-limit": {"2"}, "x-ratelimit-remaining": {remaining}})
			if trailer.Len() != 0 {
				t.Errorf("trailers of a call that passes: %v", trailer)
			}
		}
		header, trailer, err := call(client)
		if header.Len() != 0 {
			t.Errorf("a header keeps clients from retrying: %v", header)
		}
		checkMetadata(t, trailer, metadata.MD{"x-ratelimit-limit": {"2"}, "x-ratelimit-remaining": {"0"}, "x-ratelimit-reset": {"1767225660"}, "grpc-retry-pushback-ms": {"30000"}})
		checkStatus(t, err, codes.ResourceExhausted,
			&errdetails.QuotaFailure{Violations: []*errdetails.QuotaFailure_Violation{{Subject: "search", Description: "The limit is 2/min.", QuotaId: "search", QuotaValue: 2}}},
			&errdetails.RetryInfo{RetryDelay: durationpb.New(30 * time.Second)})
		if s.ran() != 2 {
			t.Errorf("the handler ran %d times", s.ran())
		}
	})
}

func call(client pb.TestServiceClient, options ...grpc.CallOption) (header, trailer metadata.MD, err error) {
	_, err = client.EmptyCall(context.Background(), &pb.Empty{}, append(options, grpc.Header(&header), grpc.Trailer(&trailer))...)
	delete(header, "content-type")
	delete(trailer, "content-type") // where there are trailers only
	return header, trailer, err
}

func checkMetadata(t *testing.T, got, want metadata.MD) {
	t.Helper()
	if id := got.Get("weir-decision"); len(id) != 1 || len(id[0]) != 16 {
		t.Errorf("weir-decision is %q", id)
	}
	for key, values := range want {
		if diff := cmp.Diff(values, got.Get(key)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", key, diff)
		}
	}
}

func checkStatus(t *testing.T, err error, code codes.Code, details ...proto.Message) {
	t.Helper()
	s := status.Convert(err)
	if s.Code() != code || len(s.Details()) != len(details) {
		t.Fatalf("got %v with %v", err, s.Details())
	}
	for i, want := range details {
		if diff := cmp.Diff(want, s.Details()[i], protocmp.Transform()); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
}

// A call that no wait admits has no RetryInfo, and tells clients not to retry.
func TestNever(t *testing.T) {
	limiter := newLimiter(t, atT0, weir.PerMinute(2))
	i := New(limiter, one, WithoutMetadata(), WithCost(func(_ context.Context, _ string, message any) int64 {
		return int64(message.(*pb.SimpleRequest).ResponseSize)
	}))
	s := &service{}
	client, stop := serve(t, s, i, false)
	defer stop()
	for _, c := range []struct {
		cost int32
		code codes.Code
		want metadata.MD
	}{
		{3, codes.ResourceExhausted, metadata.MD{"grpc-retry-pushback-ms": {"-1"}}},
		{0, codes.OK, metadata.MD{}},
		{2, codes.OK, metadata.MD{}},
		{1, codes.ResourceExhausted, metadata.MD{"grpc-retry-pushback-ms": {"30000"}}},
		{-1, codes.InvalidArgument, metadata.MD{}},
	} {
		var trailer metadata.MD
		_, err := client.UnaryCall(context.Background(), &pb.SimpleRequest{ResponseSize: c.cost}, grpc.Trailer(&trailer))
		delete(trailer, "content-type")
		delete(trailer, "grpc-status-details-bin")
		for _, detail := range status.Convert(err).Details() {
			if info, ok := detail.(*errdetails.RetryInfo); ok && c.cost == 3 {
				t.Errorf("a wait that does not help: %v", info)
			}
		}
		if status.Code(err) != c.code || !cmp.Equal(trailer, c.want) {
			t.Errorf("cost %d: %v, trailers %v", c.cost, err, trailer)
		}
	}
	if s.ran() != 2 {
		t.Errorf("the handler ran %d times", s.ran())
	}
}

// A client of gRPC that retries by itself waits what it is told, and is admitted.
func TestClientsThatRetryAreAdmitted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := newLimiter(t, time.Now, weir.PerSecond(2), weir.WithBurst(5))
		s := &service{}
		asked := 0
		i := New(limiter, func(context.Context, string) (string, error) { asked++; return "one", nil })
		client, stop := serve(t, s, i, false, grpc.WithDefaultServiceConfig(`{"methodConfig": [{"name": [{}], "retryPolicy": {
			"maxAttempts": 2, "initialBackoff": "0.001s", "maxBackoff": "0.001s", "backoffMultiplier": 1, "retryableStatusCodes": ["RESOURCE_EXHAUSTED"]}}]}`))
		defer stop()
		start := time.Now()
		for n := range 12 {
			if _, _, err := call(client); err != nil {
				t.Fatalf("call %d: %v", n, err)
			}
		}
		if took := time.Since(start); took != 3500*time.Millisecond {
			t.Errorf("12 calls at 2/s from a burst of 5 took %s", took)
		}
		if asked != 12+7 {
			t.Errorf("%d attempts for 12 calls, of which 7 had to wait", asked)
		}
	})
}

// No decision is UNAVAILABLE. Only a store that does not answer may be passed over:
// whoever sends a credential could make the other errors.
func TestNoDecision(t *testing.T) {
	errKey := errors.New("malformed token")
	failing := func(context.Context, string) (string, error) { return "", errKey }
	none := func(context.Context, string) (string, error) { return "", nil }
	for _, c := range []struct {
		name     string
		key      KeyFunc
		options  []Option
		code     codes.Code
		reported error
	}{
		{"the store is down", one, nil, codes.Unavailable, errDown},
		{"the store is down and that is fine", one, []Option{WithAllowOnError()}, codes.OK, errDown},
		{"the key cannot be told", failing, []Option{WithAllowOnError(), WithUnknownUncounted()}, codes.Unavailable, errKey},
		{"nor could the first of two", FirstOf(failing, one), []Option{WithAllowOnError()}, codes.Unavailable, errKey},
		{"the caller is not known", none, []Option{WithAllowOnError()}, codes.PermissionDenied, nil},
		{"nor is any of none", FirstOf(), nil, codes.PermissionDenied, nil},
		{"the caller is not known and that is fine", FirstOf(none), []Option{WithUnknownUncounted()}, codes.OK, nil},
		{"nobody counts it", failing, []Option{WithSkip(nil), WithSkip(func(_ context.Context, method string) bool { return method == "/grpc.testing.TestService/EmptyCall" })}, codes.OK, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var reported error
			limiter := broken{newLimiter(t, atT0, weir.PerMinute(2))}
			i := New(limiter, c.key, append(c.options, WithReport(func(_ context.Context, err error) { reported = err }))...)
			client, stop := serve(t, &service{}, i, false)
			header, trailer, err := call(client)
			stop()
			if status.Code(err) != c.code || reported != c.reported {
				t.Errorf("got %v, reported %v", err, reported)
			}
			if header.Len()+trailer.Len() != 0 {
				t.Errorf("figures are made up: %v %v", header, trailer)
			}
		})
	}
	gone, hangUp := context.WithCancel(context.Background())
	hangUp()
	i := New(broken{newLimiter(t, atT0, weir.PerMinute(2))}, one, WithAllowOnError())
	if _, err := i.Unary()(gone, nil, &grpc.UnaryServerInfo{}, nil); status.Code(err) != codes.Canceled {
		t.Errorf("the client is gone: %v", err)
	}
}

func TestWhatCannotWorkIsRefusedAtTheStart(t *testing.T) {
	limiter := newLimiter(t, atT0, weir.PerMinute(1))
	var missing *weir.Limiter
	for name, f := range map[string]func(){
		"no limiter":        func() { New(nil, one) },
		"a limiter of nil":  func() { New(missing, one) },
		"no key":            func() { New(limiter, nil) },
		"no key of several": func() { FirstOf(one, nil) },
		"no known values":   func() { ByMetadata("x-api-key", nil, nil) },
		"no known tokens":   func() { ByBearer(nil, nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: works", name)
				}
			}()
			f()
		}()
	}
	New(limiter, one, WithCost(nil), WithReport(nil), WithSkip(nil))
}
