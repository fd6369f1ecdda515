package daemon

import (
	"strings"

	"github.com/weirhq/weir/internal/front/forwardauth"
)

// Profiles are what [Options] take as Profile, the default first.
func Profiles() []string { return forwardauth.ProfileNames() }

func (o *Options) profile() (forwardauth.Profile, error) {
	p, err := forwardauth.ProfileNamed(o.Profile)
	if err != nil {
		return p, usage("--profile %q: it takes %s", o.Profile, strings.Join(Profiles(), ", "))
	}
	return p, nil
}
