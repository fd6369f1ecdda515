package envoyrls

import (
	"fmt"

	pb "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/weirhq/weir/internal/descriptor"
)

// metadataOf tells what was asked and which quotas are used up, under the names
// that the predecessor uses, and the configured metadata of the descriptors that
// have room: Envoy chooses by it where a request goes. Of the same name in several
// the first counts.
func metadataOf(in *pb.RateLimitRequest, a *descriptor.Answer) *structpb.Struct {
	fields := map[string]*structpb.Value{
		"domain":           structpb.NewStringValue(in.Domain),
		"descriptors":      descriptorsOf(in),
		"quotaModeEnabled": structpb.NewBoolValue(false),
	}
	if in.HitsAddend > 0 {
		fields["hitsAddend"] = structpb.NewNumberValue(float64(in.HitsAddend))
	}
	var used []*structpb.Value
	for i := range a.Statuses {
		s := &a.Statuses[i]
		if s.Rule == nil {
			continue
		}
		if s.Rule.Quota {
			fields["quotaModeEnabled"] = structpb.NewBoolValue(true)
			if s.Over {
				used = append(used, structpb.NewNumberValue(float64(i)))
			}
		}
		if !s.Over {
			addConfigured(fields, s.Rule.Metadata)
		}
	}
	if used != nil {
		fields["quotaModeViolations"] = structpb.NewListValue(&structpb.ListValue{Values: used})
	}
	return &structpb.Struct{Fields: fields}
}

func addConfigured(fields map[string]*structpb.Value, configured map[string]any) {
	for name, value := range configured {
		if fields[name] != nil {
			continue
		}
		if v, err := structpb.NewValue(value); err == nil { // the loader makes nothing else
			fields[name] = v
		}
	}
}

func descriptorsOf(in *pb.RateLimitRequest) *structpb.Value {
	list := make([]*structpb.Value, len(in.Descriptors))
	for i, d := range in.Descriptors {
		entries := make([]*structpb.Value, len(d.GetEntries()))
		for j, e := range d.GetEntries() {
			entries[j] = structpb.NewStringValue(e.GetKey() + "=" + e.GetValue())
		}
		fields := map[string]*structpb.Value{"entries": structpb.NewListValue(&structpb.ListValue{Values: entries})}
		if own := d.GetLimit(); own != nil {
			fields["limit"] = structpb.NewStringValue(fmt.Sprintf("requests_per_unit:%d unit:%s", own.RequestsPerUnit, own.Unit))
		}
		if d.GetHitsAddend() != nil {
			fields["hitsAddend"] = structpb.NewNumberValue(float64(d.HitsAddend.Value))
		}
		list[i] = structpb.NewStructValue(&structpb.Struct{Fields: fields})
	}
	return structpb.NewListValue(&structpb.ListValue{Values: list})
}
