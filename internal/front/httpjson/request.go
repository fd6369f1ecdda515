package httpjson

import (
	"net/http"
	"strings"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/strictjson"
	"github.com/weirhq/weir/policy"
)

// takeRequest is the body of a take: a request's attributes to decide by the
// policy, or a key and a limit to decide by themselves.
type takeRequest struct {
	Attributes *requestAttributes `json:"attributes"`

	Key       *string `json:"key"`
	Limit     string  `json:"limit"`
	Algorithm string  `json:"algorithm"`
	Burst     *int64  `json:"burst"`

	Cost *int64 `json:"cost"` // default 1
	Peek bool   `json:"peek"`
}

// decode reads exactly one JSON value, strictly.
func decode(body []byte, into any) error {
	if err := strictjson.Decode(body, into); err != nil {
		return fail(http.StatusBadRequest, "%v", err)
	}
	return nil
}

func (t *takeRequest) cost() (int64, error) {
	if t.Cost == nil {
		return 1, nil
	}
	if *t.Cost < 0 {
		return 0, fail(http.StatusBadRequest, "The cost %d is below 0; giving back is POST /v1/refund.", *t.Cost)
	}
	return *t.Cost, nil
}

// attributes are those of a request to decide by the policy.
func (t *takeRequest) attributes() (*policy.Attributes, error) {
	if t.Key != nil || t.Limit != "" || t.Algorithm != "" || t.Burst != nil {
		return nil, fail(http.StatusBadRequest, "Give either attributes, to decide by the policy, or key and limit.")
	}
	cost, err := t.cost()
	if err != nil {
		return nil, err
	}
	a := &policy.Attributes{Method: t.Attributes.Method, Host: t.Attributes.Host, Path: t.Attributes.Path, Cost: cost, Peek: t.Peek}
	return a, t.Attributes.fill(a)
}

// maxKey bounds a key in bytes: a receipt repeats it, and has to fit a body.
const maxKey = 4096

// check is the one that a key and a limit ask for. The states of such checks are
// apart from those of all layers, of other algorithms and of other periods: 10/s
// and 1000/h of one key are two limits, while 10/s and 20/s are one that changed.
func (t *takeRequest) check() (weir.Check, error) {
	switch {
	case t.Key == nil && t.Limit == "":
		return weir.Check{}, fail(http.StatusBadRequest, "Give attributes, to decide by the policy, or key and limit.")
	case t.Key == nil || *t.Key == "":
		return weir.Check{}, fail(http.StatusBadRequest, "The key is missing or empty: an empty key would be one bucket for everybody.")
	case len(*t.Key) > maxKey:
		return weir.Check{}, fail(http.StatusBadRequest, "The key has %d bytes; it may have %d.", len(*t.Key), maxKey)
	case t.Limit == "":
		return weir.Check{}, fail(http.StatusBadRequest, "The limit is missing; write it as 100/min.")
	}
	cost, err := t.cost()
	if err != nil {
		return weir.Check{}, err
	}
	limit, err := t.limit()
	if err != nil {
		return weir.Check{}, err
	}
	_, period, _ := strings.Cut(limit.Rate().String(), "/")
	key := weir.Key{Layer: "adhoc", Limit: limit.Algorithm().String() + "#" + period, Identity: *t.Key}
	return weir.Check{Key: key, Limit: limit, Cost: cost, Peek: t.Peek}, nil
}

func (t *takeRequest) limit() (*weir.Limit, error) {
	rate, err := weir.ParseRate(t.Limit)
	if err != nil {
		return nil, badLimit(err)
	}
	algorithm, err := t.algorithm()
	if err != nil {
		return nil, err
	}
	options := []weir.LimitOption{weir.WithAlgorithm(algorithm)}
	if t.Burst != nil {
		options = append(options, weir.WithBurst(*t.Burst))
	}
	limit, err := weir.NewLimit(rate, options...)
	if err != nil {
		return nil, badLimit(err)
	}
	return limit, nil
}

// badLimit makes a sentence of an error about a rate or a limit.
func badLimit(err error) error {
	text := "The " + strings.TrimPrefix(err.Error(), "weir: ")
	if !strings.HasSuffix(text, "?") {
		text += "."
	}
	return fail(http.StatusBadRequest, "%s", text)
}

func (t *takeRequest) algorithm() (weir.Algorithm, error) {
	if t.Algorithm == "" {
		return weir.GCRA, nil
	}
	if algorithm, err := weir.ParseAlgorithm(t.Algorithm); err == nil {
		return algorithm, nil
	}
	var names []string
	for _, algorithm := range weir.Algorithms() {
		names = append(names, algorithm.String())
	}
	if near := weir.Nearest(t.Algorithm, names); near != "" {
		return 0, fail(http.StatusBadRequest, "There is no algorithm %q; did you mean %q?", t.Algorithm, near)
	}
	return 0, fail(http.StatusBadRequest, "There is no algorithm %q; there are %s.", t.Algorithm, strings.Join(names, ", "))
}
