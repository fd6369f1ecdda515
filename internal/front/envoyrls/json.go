package envoyrls

import (
	"context"
	"errors"
	"io"
	"net/http"

	pb "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	"google.golang.org/protobuf/encoding/protojson"
)

// JSON answers POST with the JSON mapping of the request: 200, 429 over the limit,
// 400 for a body that is none, 413 for one that is too large, 503 for no decision.
func (s *Service) JSON() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			fail(w, http.StatusMethodNotAllowed)
			return
		}
		out, err := s.answerBody(r.Context(), http.MaxBytesReader(w, r.Body, MaxMessage))
		if err != nil {
			fail(w, statusCode(err))
			return
		}
		write(w, out)
	})
}

func (s *Service) answerBody(ctx context.Context, body io.Reader) (*pb.RateLimitResponse, error) {
	text, err := io.ReadAll(body)
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return nil, err
	}
	var in pb.RateLimitRequest
	if err != nil || protojson.Unmarshal(text, &in) != nil {
		return nil, badRequest("The body is not a rate limit request.")
	}
	return s.answer(ctx, &in)
}

func statusCode(err error) int {
	if _, bad := errors.AsType[badRequest](err); bad {
		return http.StatusBadRequest
	}
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return http.StatusRequestEntityTooLarge
	}
	return http.StatusServiceUnavailable
}

func write(w http.ResponseWriter, out *pb.RateLimitResponse) {
	text, err := protojson.Marshal(out)
	if err != nil { // a name that is no UTF-8, say
		fail(w, http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	if out.OverallCode == pb.RateLimitResponse_OVER_LIMIT {
		w.WriteHeader(http.StatusTooManyRequests)
	}
	w.Write(text) // the client is gone if this fails
}

// fail answers with the status's own words, as the predecessor does.
func fail(w http.ResponseWriter, status int) {
	http.Error(w, http.StatusText(status), status)
}

// Healthcheck answers 200 while weir is ready and 503 while it drains.
func Healthcheck(ready func() bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if !ready() {
			fail(w, http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		io.WriteString(w, "OK")
	})
}
