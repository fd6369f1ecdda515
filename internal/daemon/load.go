package daemon

import (
	"os"
	"path/filepath"
	"time"

	"github.com/weirhq/weir/policy"
)

// load reads, validates and compiles the whole configuration, or says why not.
func load(o *Options) (*loaded, *policy.Config, error) {
	config := policy.DefaultConfig()
	if o.Config != "" {
		src, err := os.ReadFile(o.Config)
		if err != nil {
			return nil, nil, err
		}
		if config, err = policy.Parse(o.Config, src); err != nil {
			return nil, nil, err
		}
	}
	p, warnings, err := config.Compile(policy.Options{
		Layers:  o.Layers,
		Secret:  []byte(o.Secret),
		BaseDir: filepath.Dir(o.Config),
	})
	if err != nil {
		return nil, nil, err
	}
	return &loaded{policy: p, trusted: p.TrustedProxies(), file: o.Config, at: time.Now(), warnings: warnings}, config, nil
}
