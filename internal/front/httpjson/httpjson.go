// Package httpjson is the front that speaks JSON: POST /v1/take, /v1/take/batch
// and /v1/refund. It turns bodies into attributes and decisions into bodies, and
// knows nothing of limits.
//
//	mux.Handle("/v1/", httpjson.New(engine))
//
// # Errors
//
// A refusal is 200 with "allowed": false. Bad input is 400, a body that is too
// large 413, a compressed one 415, another method than POST 405, an unknown path
// 404, and no decision 503, each with a problem body (RFC 9457).
package httpjson

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/clientip"
	"github.com/weirhq/weir/httplimit"
	"github.com/weirhq/weir/policy"
)

// Engine is what the front asks.
type Engine interface {
	// Decide decides by the policy.
	Decide(ctx context.Context, a *policy.Attributes) (weir.Decision, error)
	// Check decides one check without the policy.
	Check(ctx context.Context, c weir.Check) (weir.Decision, error)
	// Receipt is the text that Refund takes.
	Receipt(d *weir.Decision) string
	// Refund gives back what a receipt charged; receipt.ErrInvalid for one that
	// is none of this service's.
	Refund(ctx context.Context, receipt string) (bool, error)
	// Trusted holds the peers that may name a cost or a plan in headers, as
	// configured now.
	Trusted() clientip.Prefixes
}

// The bounds on what is read.
const (
	maxBody      = 64 << 10 // bytes
	maxBatchBody = 1 << 20  // bytes
	maxBatch     = 1000     // requests
)

// New makes the front's handler, for the paths below /v1/.
func New(e Engine) http.Handler {
	h := &handler{e}
	routes := map[string]func(http.ResponseWriter, *http.Request) error{
		"/v1/take":       h.take,
		"/v1/take/batch": h.batch,
		"/v1/refund":     h.refund,
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		route, found := routes[r.URL.Path]
		var err error
		switch {
		case !found:
			err = fail(http.StatusNotFound, "There is nothing at %s; there are /v1/take, /v1/take/batch and /v1/refund.", r.URL.Path)
		case r.Method != http.MethodPost:
			w.Header().Set("Allow", http.MethodPost)
			err = fail(http.StatusMethodNotAllowed, "%s takes POST, not %s.", r.URL.Path, r.Method)
		case r.URL.RawQuery != "":
			err = fail(http.StatusBadRequest, "%s takes no query; cost and peek are fields of the body.", r.URL.Path)
		case r.Header.Get("Content-Encoding") != "":
			err = fail(http.StatusUnsupportedMediaType, "%s takes plain JSON, without a Content-Encoding.", r.URL.Path)
		default:
			err = route(w, r)
		}
		if err != nil {
			problemOf(err).Write(w)
		}
	})
}

// Attributes reads the request of a body as POST /v1/take has it, for others who
// ask about one. The error is a sentence for whoever wrote it.
func Attributes(body []byte) (*policy.Attributes, error) {
	var t takeRequest
	if err := decode(body, &t); err != nil {
		return nil, err
	}
	if t.Attributes == nil {
		return nil, fail(http.StatusBadRequest, "Give the attributes of a request.")
	}
	return t.attributes()
}

type handler struct{ engine Engine }

// failure is an error with the status and the sentence for the client.
type failure struct {
	status int
	detail string
}

func (f *failure) Error() string { return f.detail }

// maxDetail bounds what is said of a text that may be as long as a body, in
// bytes.
const maxDetail = 400

func fail(status int, format string, args ...any) error {
	detail := fmt.Sprintf(format, args...)
	if len(detail) > maxDetail {
		detail = strings.ToValidUTF8(detail[:maxDetail], "") + "…"
	}
	return &failure{status, detail}
}

// problemOf words an error. What is not the client's doing gets a fixed
// sentence: causes go to the log.
func problemOf(err error) httplimit.Problem {
	f := &failure{http.StatusServiceUnavailable, "No decision could be made."}
	errors.As(err, &f)
	return httplimit.NewProblem(f.status, f.detail)
}

func (h *handler) take(w http.ResponseWriter, r *http.Request) error {
	body, err := read(w, r, maxBody)
	if err != nil {
		return err
	}
	a, err := h.answer(r, body)
	if err != nil {
		return err
	}
	return write(w, a)
}

// batch answers each item on its own: a bad one gets an error in its place.
func (h *handler) batch(w http.ResponseWriter, r *http.Request) error {
	body, err := read(w, r, maxBatchBody)
	if err != nil {
		return err
	}
	var items []json.RawMessage
	if err := decode(body, &items); err != nil {
		return err
	}
	if items == nil {
		return fail(http.StatusBadRequest, "The body takes a list, not null.")
	}
	if len(items) > maxBatch {
		return fail(http.StatusBadRequest, "A batch has at most %d requests, this one %d.", maxBatch, len(items))
	}
	answers := make([]any, len(items))
	for i, item := range items {
		a, err := h.answer(r, item)
		if err != nil {
			answers[i] = map[string]httplimit.Problem{"error": problemOf(err)}
			continue
		}
		answers[i] = a
	}
	return write(w, answers)
}

func (h *handler) answer(r *http.Request, body []byte) (*answer, error) {
	var t takeRequest
	if err := decode(body, &t); err != nil {
		return nil, err
	}
	d, err := h.decide(r, &t)
	if err != nil {
		return nil, err
	}
	return newAnswer(&d, h.engine.Receipt(&d)), nil
}

func (h *handler) decide(r *http.Request, t *takeRequest) (weir.Decision, error) {
	if t.Attributes == nil {
		c, err := t.check()
		if err != nil {
			return weir.Decision{}, err
		}
		return h.engine.Check(r.Context(), c)
	}
	a, err := t.attributes()
	if err != nil {
		return weir.Decision{}, err
	}
	if peer, ok := clientip.Peer(r.RemoteAddr); ok {
		a.Trusted = h.engine.Trusted().Contains(peer)
	}
	return h.engine.Decide(r.Context(), a)
}

func read(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, fail(http.StatusRequestEntityTooLarge, "The body is larger than %d bytes.", limit)
	case err != nil:
		return nil, fail(http.StatusBadRequest, "The body could not be read to its end.")
	}
	return body, nil
}

func write(w http.ResponseWriter, body any) error {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	json.NewEncoder(w).Encode(body) // the client is gone if this fails
	return nil
}
