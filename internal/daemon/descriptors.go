package daemon

import (
	"context"

	"github.com/weirhq/weir"
	"github.com/weirhq/weir/internal/descriptor"
	"github.com/weirhq/weir/internal/trail"
	"github.com/weirhq/weir/policy"
)

// descriptors reads Envoy's configuration, every file of the folder and of those
// below; nil where there is no folder. Warnings read as the policy's do.
func (r *reader) descriptors(folder string) (*descriptor.Set, []policy.Warning, error) {
	if folder == "" {
		return nil, nil, nil
	}
	names, err := r.folder(folder)
	if err != nil {
		return nil, nil, err
	}
	files := make([]descriptor.File, len(names))
	for i, name := range names {
		text, err := r.file(name)
		if err != nil {
			return nil, nil, err
		}
		files[i] = descriptor.File{Name: name, Text: text}
	}
	set, problems, err := descriptor.Load(files)
	warnings := make([]policy.Warning, len(problems))
	for i, p := range problems {
		warnings[i] = policy.Warning{File: p.File, Line: p.Line, Col: p.Col, Message: p.Message, Hint: p.Hint}
	}
	return set, warnings, err
}

// domains are those that Envoy may ask about.
func (l *loaded) domains() []string {
	if l.descriptors == nil {
		return nil
	}
	return l.descriptors.Domains()
}

// Limit decides a request by its descriptors. It is asked only where there is a
// configuration for them.
func (e *Engine) Limit(ctx context.Context, r *descriptor.Request) (descriptor.Answer, error) {
	ctx, now := e.begin(ctx, trail.Request{Host: r.Domain})
	a, err := e.current.Load().descriptors.Decide(ctx, e.store, r)
	a.Decision, err = e.observe(&now, a.Decision, err)
	return a, err
}

// keys names the states of a caller in a layer of the policy, or in a domain.
func (l *loaded) keys(layer, caller string) ([]weir.Key, error) {
	if l.descriptors != nil && descriptor.IsLayer(layer) {
		return l.descriptors.Keys(layer, caller)
	}
	return l.policy.Keys(layer, caller)
}

// isReady says whether to send requests here.
func (e *Engine) isReady() bool { return !e.draining.Load() }
