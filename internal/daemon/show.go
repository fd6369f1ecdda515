package daemon

import (
	"context"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/admin"
	"github.com/weirhq/weir/internal/descriptor"
	"github.com/weirhq/weir/internal/front/httpjson"
	"github.com/weirhq/weir/internal/trail"
)

// Peek implements admin.Shown.
func (e *Engine) Peek(ctx context.Context, layer, key string) (weir.Decision, error) {
	now := e.current.Load()
	if now.descriptors != nil && descriptor.IsLayer(layer) {
		return weir.Decision{}, admin.InputError("A domain's limits depend on the descriptors of a request: ask for a decision by its id.")
	}
	checks, err := now.policy.Peeks(layer, key)
	if err != nil {
		return weir.Decision{}, admin.InputError("This cannot be looked at: " + withoutPackage(err.Error()))
	}
	results := make([]weir.Result, len(checks))
	for i := range checks { // a key may come under several plans' limits
		if err := e.store.Take(ctx, checks[i:i+1], results[i:i+1]); err != nil {
			return weir.Decision{}, err
		}
	}
	return weir.Decide(0, checks, results), nil
}

// Ask implements admin.Shown.
func (e *Engine) Ask(ctx context.Context, body []byte) (admin.Asked, error) {
	a, err := httpjson.Attributes(body)
	if err != nil {
		return admin.Asked{}, admin.InputError(err.Error())
	}
	x, d, err := e.Explain(ctx, a)
	if err != nil {
		return admin.Asked{}, err
	}
	return admin.Asked{Record: trail.NewRecord(&trail.Request{IP: a.IP, Method: a.Method, Host: a.Host, Path: a.Path}, &d), Policy: x}, nil
}

// Configuration implements admin.Shown.
func (e *Engine) Configuration() (admin.Configuration, error) {
	shown := e.current.Load().config.Redacted()
	text, err := shown.JSON()
	return admin.Configuration{YAML: string(shown.Canonical()), JSON: text}, err
}
