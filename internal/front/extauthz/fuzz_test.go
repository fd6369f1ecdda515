package extauthz

import (
	"testing"

	auth "github.com/envoyproxy/go-control-plane/envoy/service/auth/v3"
	"google.golang.org/protobuf/proto"

	"github.com/weirhq/weir"
)

// Whatever a message holds, the answer is one that can be sent: an error would pass
// under failure_mode_allow.
func FuzzCheck(f *testing.F) {
	options := attributes("203.0.113.7", "X-Forwarded-For", "192.0.2.1")
	options.ContextExtensions = map[string]string{"cost": "\u2028x", "deny": "403"}
	for _, in := range []*auth.AttributeContext{nil, attributes("10.0.0.9", "X-Forwarded-For", "192.0.2.1, 203.0.113.7"), options} {
		seed, err := proto.Marshal(&auth.CheckRequest{Attributes: in})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(seed)
	}
	refusing := decided(f, 10, false)
	f.Fuzz(func(t *testing.T, message []byte) {
		var in auth.CheckRequest
		if proto.Unmarshal(message, &in) != nil {
			return
		}
		for _, d := range []weir.Decision{refusing, weir.Decide(7, nil, nil)} {
			out := check(t, &engine{decision: d}, "10.0.0.1", in.GetAttributes())
			if _, err := proto.Marshal(out); err != nil {
				t.Errorf("%v: %v", err, out)
			}
			if ok := out.GetStatus().GetCode() == 0; ok != (out.GetOkResponse() != nil) || ok == (out.GetDeniedResponse() != nil) {
				t.Errorf("%v", out)
			}
		}
	})
}
