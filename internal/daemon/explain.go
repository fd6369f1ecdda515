package daemon

import (
	"context"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/policy"
)

// Explain says what the policy makes of a request, and how the store would decide
// it now. It charges nothing, and no metric counts it as a decision.
func (e *Engine) Explain(ctx context.Context, a *policy.Attributes) (policy.Explanation, weir.Decision, error) {
	p, peek := e.current.Load().policy, *a
	peek.Peek = true
	d, err := p.Decide(ctx, e.store, &peek)
	return p.Explain(a), d, err
}
