package policy

// Caller is who a request comes from, as a layer by client counts it: the
// identity of its API key where one counts, else of its address; "" where neither
// is known.
func (p *Policy) Caller(a *Attributes) string {
	r := request{p: p, a: a}
	identity, _ := r.clientIdentity()
	return identity
}
