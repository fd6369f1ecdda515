// Package connect shows a limit in front of Connect handlers, whose clients speak
// Connect, gRPC or gRPC-Web and want refusals in that protocol.
package connect

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/httplimit"
)

// InProtocol answers what is not admitted as the client's protocol has it.
func InProtocol() []httplimit.Option {
	writer := connect.NewErrorWriter()
	return []httplimit.Option{
		httplimit.WithRefusal(func(w http.ResponseWriter, r *http.Request, d *weir.Decision) {
			if !writer.IsSupported(r) {
				httplimit.Refuse(w, d)
				return
			}
			writer.Write(w, r, refusal(d))
		}),
		httplimit.WithUnavailable(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			writer.Write(w, r, connect.NewError(connect.CodeUnavailable, errors.New("no decision could be made")))
		})),
	}
}

func refusal(d *weir.Decision) *connect.Error {
	if d.Denied != "" {
		return connect.NewError(connect.CodePermissionDenied, errors.New(d.Denied))
	}
	err := connect.NewError(connect.CodeResourceExhausted, errors.New("request quota exceeded"))
	if d.RetryAfter != weir.Never {
		if detail, e := connect.NewErrorDetail(&errdetails.RetryInfo{RetryDelay: durationpb.New(d.RetryAfter)}); e == nil {
			err.AddDetail(detail)
		}
	}
	return err
}

// Clients of all three protocols see RESOURCE_EXHAUSTED and how long to wait.
func Example() {
	limiter, err := weir.New(weir.PerMinute(2), weir.WithAlgorithm(weir.FixedWindow))
	if err != nil {
		panic(err)
	}
	defer limiter.Close()
	byProtocol := func(r *http.Request) (string, error) { return r.Header.Get("Content-Type"), nil } // for the example's sake
	limit := httplimit.New(limiter, byProtocol, InProtocol()...)

	const procedure = "/greet.v1.GreetService/Greet"
	mux := http.NewServeMux()
	mux.Handle(procedure, connect.NewUnaryHandler(procedure, func(_ context.Context, r *connect.Request[wrapperspb.StringValue]) (*connect.Response[wrapperspb.StringValue], error) {
		return connect.NewResponse(wrapperspb.String("Hello, " + r.Msg.Value)), nil
	}))
	server := httptest.NewUnstartedServer(limit.Wrap(mux))
	server.EnableHTTP2 = true // for gRPC
	server.StartTLS()
	defer server.Close()

	for _, protocol := range []struct {
		name   string
		option connect.ClientOption
	}{{"Connect", connect.WithProtoJSON()}, {"gRPC", connect.WithGRPC()}, {"gRPC-Web", connect.WithGRPCWeb()}} {
		client := connect.NewClient[wrapperspb.StringValue, wrapperspb.StringValue](server.Client(), server.URL+procedure, protocol.option)
		for range 3 {
			answer, err := client.CallUnary(context.Background(), connect.NewRequest(wrapperspb.String("Ada")))
			if err == nil {
				fmt.Println(protocol.name, answer.Msg.Value, answer.Header().Get("X-RateLimit-Remaining"))
				continue
			}
			var refused *connect.Error
			errors.As(err, &refused)
			detail, _ := refused.Details()[0].Value()
			fmt.Println(protocol.name, refused.Code(), detail.(*errdetails.RetryInfo).RetryDelay.AsDuration() > 0)
		}
	}
	// Output:
	// Connect Hello, Ada 1
	// Connect Hello, Ada 0
	// Connect resource_exhausted true
	// gRPC Hello, Ada 1
	// gRPC Hello, Ada 0
	// gRPC resource_exhausted true
	// gRPC-Web Hello, Ada 1
	// gRPC-Web Hello, Ada 0
	// gRPC-Web resource_exhausted true
}
