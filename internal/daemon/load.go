package daemon

import (
	"path/filepath"
	"time"

	"github.com/weirhq/weir/clientip"
	"github.com/weirhq/weir/httplimit"
	"github.com/weirhq/weir/internal/descriptor"
	"github.com/weirhq/weir/internal/receipt"
	"github.com/weirhq/weir/policy"
)

// loaded is one configuration, complete.
type loaded struct {
	config *policy.Config
	policy *policy.Policy
	// descriptors are nil where Envoy's configuration is not asked for.
	descriptors *descriptor.Set
	trusted     clientip.Prefixes
	headers     httplimit.Headers
	signer      *receipt.Signer // nil without a secret
	file        string          // "" is the default policy
	at          time.Time
	warnings    []policy.Warning
}

// load reads, validates and compiles the whole configuration, or says why not.
// What it read is told either way: a change of that is worth another try.
func load(o *Options) (*loaded, contents, error) {
	var read reader
	config := policy.DefaultConfig()
	if o.Config != "" {
		src, err := read.file(o.Config)
		if err != nil {
			return nil, read.contents, err
		}
		if config, err = policy.Parse(o.Config, src); err != nil {
			return nil, read.contents, err
		}
	}
	p, warnings, err := config.Compile(policy.Options{
		Layers:   o.Layers,
		Secret:   []byte(o.Secret),
		BaseDir:  filepath.Dir(o.Config),
		ReadFile: read.file,
		Plans:    o.planSource(config),
	})
	if err != nil {
		return nil, read.contents, err
	}
	descriptors, more, err := read.descriptors(o.EnvoyConfig)
	if err != nil {
		return nil, read.contents, err
	}
	if p.Leases() && o.inMemory(config) {
		warnings = append(warnings, policy.Warning{File: o.Config, Message: "lease changes nothing: the store is memory, which has no round trip to save", Hint: "leave it out"})
	}
	return &loaded{
		config: config, policy: p, descriptors: descriptors, trusted: p.TrustedProxies(), headers: headersOf(config.Headers),
		signer: signerOf(o, config), file: o.Config, at: time.Now(), warnings: append(warnings, more...),
	}, read.contents, nil
}

// planSource is nil where the store is memory, which has no hash of plans.
func (o *Options) planSource(config *policy.Config) policy.PlanSource {
	if o.plans == nil || o.inMemory(config) {
		return nil
	}
	return o.plans
}

func (o *Options) inMemory(config *policy.Config) bool {
	url := o.storeURL(config)
	return url == "" || url == "memory:"
}

// storeURL is the option's before the configuration's.
func (o *Options) storeURL(config *policy.Config) string {
	if o.Store != "" {
		return o.Store
	}
	return config.Store
}

func headersOf(h policy.Headers) httplimit.Headers {
	headers := httplimit.Headers{OmitLegacy: h.XRateLimit == "off", OmitIETF: h.IETF == "off"}
	if h.XRateLimit == "delta" {
		headers.Reset = httplimit.Delta
	}
	if h.IETF == "both" {
		headers.IETF = httplimit.Both
	}
	return headers
}

// signerOf signs with the secret that keys are hashed with: the option's before
// the configuration's.
func signerOf(o *Options, config *policy.Config) *receipt.Signer {
	secret := o.Secret
	if secret == "" {
		secret = config.Secret
	}
	if secret == "" {
		return nil
	}
	return receipt.NewSigner([]byte(secret))
}

// later names the settings that a reload leaves as they were at the start.
func (l *loaded) later(start *loaded, o *Options) (names []string) {
	if o.Store == "" && l.config.Store != start.config.Store {
		names = append(names, "store")
	}
	if l.config.MaxKeys != start.config.MaxKeys {
		names = append(names, "max_keys")
	}
	if l.config.Budget != start.config.Budget {
		names = append(names, "budget")
	}
	if l.config.DenyCache != start.config.DenyCache {
		names = append(names, "deny_cache")
	}
	if l.config.Share != start.config.Share {
		names = append(names, "share")
	}
	return names
}
