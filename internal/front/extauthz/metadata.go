package extauthz

import (
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/weirhq/weir"
)

// metadataOf is what Envoy keeps of a decision, for its access log and for later
// filters: decision, the id; outcome, which is allowed, limited or denied; layer,
// that of the tightest limit, where one was asked; shadow, the first layer in
// shadow that would have refused; degraded, where the store had no part in it.
func metadataOf(d *weir.Decision) *structpb.Struct {
	fields := map[string]*structpb.Value{
		"decision": structpb.NewStringValue(d.ID.String()),
		"outcome":  structpb.NewStringValue(outcomeOf(d)),
	}
	if d.Tightest >= 0 {
		fields["layer"] = structpb.NewStringValue(d.Checks[d.Tightest].Key.Layer)
	}
	if i := refusedInShadow(d); i >= 0 {
		fields["shadow"] = structpb.NewStringValue(d.Checks[i].Key.Layer)
	}
	if d.Degraded {
		fields["degraded"] = structpb.NewBoolValue(true)
	}
	return &structpb.Struct{Fields: fields}
}

func outcomeOf(d *weir.Decision) string {
	switch {
	case d.Allowed:
		return "allowed"
	case d.Denied != "":
		return "denied"
	}
	return "limited"
}

// refusedInShadow is the index of the first check that only shadow let pass, or -1.
func refusedInShadow(d *weir.Decision) int {
	for i := range d.Results {
		if g := d.Checks[i].Group; g != nil && g.Shadow && !d.Results[i].Allowed {
			return i
		}
	}
	return -1
}
