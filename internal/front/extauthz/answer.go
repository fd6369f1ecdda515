package extauthz

import (
	"bytes"
	"maps"
	"net/http"
	"slices"
	"strconv"

	core "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	auth "github.com/envoyproxy/go-control-plane/envoy/service/auth/v3"
	envoy "github.com/envoyproxy/go-control-plane/envoy/type/v3"
	rpc "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/httplimit"
)

// statusField is what a refusal's status would be without deny.
const statusField = "Weir-Status"

func (s *Service) answer(d *weir.Decision, o options) *auth.CheckResponse {
	w := recorder{header: http.Header{}}
	s.engine.Headers().Set(w.header, d)
	out := &auth.CheckResponse{Status: &rpc.Status{Code: int32(codes.OK)}, DynamicMetadata: metadataOf(d)}
	if d.Allowed {
		out.HttpResponse = &auth.CheckResponse_OkResponse{OkResponse: &auth.OkHttpResponse{ResponseHeadersToAdd: w.fields()}}
		return out
	}
	p := httplimit.Refused(d)
	if o.deny != 0 {
		w.header.Set(statusField, strconv.Itoa(p.Status))
		p.Status = o.deny
	}
	p.Write(&w)
	w.deny(out)
	return out
}

// refusal is an answer without a decision.
func refusal(p httplimit.Problem) *auth.CheckResponse {
	w, out := recorder{header: http.Header{}}, new(auth.CheckResponse)
	p.Write(&w)
	w.deny(out)
	return out
}

// recorder is an http.ResponseWriter that keeps an answer, for Envoy to give it.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *recorder) Header() http.Header         { return w.header }
func (w *recorder) WriteHeader(status int)      { w.status = status }
func (w *recorder) Write(p []byte) (int, error) { return w.body.Write(p) }

// deny makes what is recorded the answer. Any code but OK denies, and Envoy shows
// it to nobody.
func (w *recorder) deny(out *auth.CheckResponse) {
	out.Status = &rpc.Status{Code: int32(codes.PermissionDenied)}
	out.HttpResponse = &auth.CheckResponse_DeniedResponse{DeniedResponse: &auth.DeniedHttpResponse{
		Status: &envoy.HttpStatus{Code: envoy.StatusCode(w.status)}, Headers: w.fields(), Body: w.body.String(),
	}}
}

// fields are the header's, in an order that does not change. They replace what the
// upstream says of limits of its own: no client reads two.
func (w *recorder) fields() []*core.HeaderValueOption {
	fields := make([]*core.HeaderValueOption, 0, len(w.header))
	for _, name := range slices.Sorted(maps.Keys(w.header)) {
		fields = append(fields, &core.HeaderValueOption{
			Header:       &core.HeaderValue{Key: name, Value: w.header.Get(name)},
			AppendAction: core.HeaderValueOption_OVERWRITE_IF_EXISTS_OR_ADD,
		})
	}
	return fields
}
