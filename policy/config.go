package policy

import (
	"time"

	"github.com/weirhq/weir/clientip"
)

// Config is a configuration as it is written. [Parse] reads one and fills in the
// defaults; one written in Go may leave any field but Layers zero, which then
// means its default. [Config.Compile] makes it a [Policy].
//
// The comments of its fields are the descriptions in the JSON Schema.
type Config struct {
	// Where the states are: memory:, redis://[user:pass@]host:port[/db],
	// rediss:// (TLS), redis+sentinel://host:port,host:port/master,
	// redis+cluster://host:port,host:port or unix:///path.
	Store string `yaml:"store" default:"memory:"`
	// What callers' keys are hashed with (HMAC-SHA256) and receipts are signed
	// with. All processes on one store need the same. WEIR_SECRET wins over it.
	// Without one, keys are hashed plainly and a warning says so.
	Secret string `yaml:"secret"`
	// What a decision may cost in time before on_error answers.
	Budget time.Duration `yaml:"budget" default:"20ms"`
	// How long a request that was refused is refused again without asking the
	// store: until its wait is over and at most so long, or off. A reset elsewhere
	// counts after that time.
	DenyCache DurationOrOff `yaml:"deny_cache" default:"1s"`
	// Over how many processes a limit is divided while the store is out of
	// reach: each grants limit / share, rounded up.
	Share int64 `yaml:"share" default:"1" min:"1"`
	// How many keys the in-memory store holds at most.
	MaxKeys int64 `yaml:"max_keys" default:"1048576" min:"1"`
	// Peers whose forwarding, cost and plan headers are believed: addresses and
	// CIDR prefixes. Nobody by default.
	TrustedProxies List `yaml:"trusted_proxies"`
	// How many bits of an IPv4 address make an identity.
	IPv4Prefix int64 `yaml:"ipv4_prefix" default:"32" min:"1" max:"32"`
	// How many bits of an IPv6 address make an identity.
	IPv6Prefix int64 `yaml:"ipv6_prefix" default:"64" min:"1" max:"128"`
	// What a layer that counts by address does with a request whose address is
	// not known: deny it, or skip the layer. It is never one bucket for all such
	// requests.
	UnknownIP string `yaml:"unknown_ip" default:"deny" enum:"deny|skip"`
	// The headers of answers.
	Headers Headers `yaml:"headers"`
	// Callers that no layer counts: addresses, CIDR prefixes and key:API-KEY.
	Allow List `yaml:"allow"`
	// Callers that are always refused, even if they are allowed elsewhere.
	Deny List `yaml:"deny"`
	// Limits by name, for layers whose limit is the word plan.
	Plans Map[Limit] `yaml:"plans"`
	// How a caller is known, and what plan it is on.
	Clients Clients `yaml:"clients"`
	// What a request passes, in order. At least one.
	Layers []Layer `yaml:"layers"`

	source source
}

// Headers says which rate-limit headers answers carry.
type Headers struct {
	// X-RateLimit-Limit, -Remaining and -Reset: with a Reset in seconds since the
	// Unix epoch, or from now, or none of the three.
	XRateLimit string `yaml:"x_ratelimit" default:"epoch" enum:"epoch|delta|off"`
	// The IETF fields RateLimit and RateLimit-Policy: none, those of draft 11
	// (r, t), or both these and the names of its successor (a, w).
	IETF string `yaml:"ietf" default:"draft-11" enum:"off|draft-11|both"`
}

// Clients says how a caller is known and how its plan is found. The plan comes
// from at most one of Plan, File, Redis and Header. Without any, every key is
// believed and is on the plan free.
type Clients struct {
	// Where the API key is: header:NAME, or bearer for the token of
	// Authorization: Bearer.
	Key string `yaml:"key" default:"header:X-API-Key"`
	// API keys and the names of their plans.
	Plan Map[string] `yaml:"plan"`
	// A YAML file of API keys and the names of their plans, from the folder of
	// this file.
	File string `yaml:"file"`
	// A hash in the Redis store, of API keys and the names of their plans.
	Redis string `yaml:"redis"`
	// A header in which a trusted peer names the plan.
	Header string `yaml:"header"`
	// What a key that is not listed is: ip, as if there were none; deny; or the
	// name of a plan, counted by address. By default ip where keys are listed.
	Unknown string `yaml:"unknown"`
	// What a request without a key is in a layer whose limit is plan: skip the
	// layer; ip, on the plan free by address; the name of a plan, by address; or
	// deny, which holds for every layer by client. By default skip.
	Missing string `yaml:"missing" default:"skip"`
}

// Layer is one namespace of limits. A request that it applies to must pass all
// of them.
type Layer struct {
	// The namespace: letters, digits, dots, dashes and underscores.
	Name string `yaml:"name"`
	// Whose requests are counted: ip, client (the API key where there is one,
	// else the address), route, method, host, header:NAME, or all (one bucket
	// for everybody); several for each combination.
	By List `yaml:"by"`
	// Which requests the layer applies to. All by default.
	Match Match `yaml:"match"`
	// COUNT/PERIOD, a list of them, a map of settings, or the words plan,
	// unlimited and blocked. Beside routes it is for all other paths.
	Limit    *Limit `yaml:"limit"`
	Settings `yaml:",inline"`
	// When the layer is charged: in order up to the first refusal (arriving),
	// only if all layers admit (admitted), or whatever others say (independent).
	Charge string `yaml:"charge" default:"arriving" enum:"arriving|admitted|independent"`
	// Limits by path pattern, in the syntax of Go's net/http.ServeMux. The most
	// specific pattern wins. It needs route in by.
	Routes Map[Limit] `yaml:"routes"`
	// Callers that this layer does not count: addresses, CIDR prefixes and
	// key:API-KEY.
	Allow List `yaml:"allow"`
	// Callers that this layer refuses, even if they are allowed elsewhere.
	Deny List `yaml:"deny"`
}

// Match says which requests a layer applies to: those that fit every field that
// is given. A list fits if one of its entries does.
type Match struct {
	// Host names, or *.example.com for all below one.
	Host List `yaml:"host"`
	// Methods in upper case. GET includes HEAD.
	Method List `yaml:"method"`
	// Patterns in the syntax of Go's net/http.ServeMux.
	Path List `yaml:"path"`
	// Header names and values; "*" is any value.
	Header Map[List] `yaml:"header"`
}

// Limit is a LIMIT: a rate or a word (Rate alone), a list (List alone), or
// either with settings, which is written as a map.
type Limit struct {
	// COUNT/PERIOD such as 10/s or 100/1h30m, or plan, unlimited or blocked.
	Rate string
	// Several, which are taken all or nothing.
	List []Limit
	// The limit's stable name; by default "default" for the only one and for the
	// longest period, the text of its period for others beside it. A limit that
	// changes under the same name keeps what was used.
	Name string `yaml:"name"`
	// Settings of this limit; what is zero comes from around it.
	Settings
}

// Settings shape limits. A layer's are the defaults of its limits.
type Settings struct {
	// The rule by which requests are admitted.
	Algorithm string `yaml:"algorithm" default:"gcra" enum:"gcra|token-bucket|fixed-window|sliding-log|sliding-counter"`
	// What passes at one instant from idle, in requests, for gcra and
	// token-bucket. By default the limit's count.
	Burst int64 `yaml:"burst" min:"1" max:"2199023255552"`
	// What a request takes: a number, or header:NAME, believed from trusted
	// peers only. 1 by default.
	Cost Cost `yaml:"cost"`
	// What a fixed window counts: admitted requests, or all.
	Count string `yaml:"count" default:"admitted" enum:"admitted|all"`
	// Evaluate, charge a state of its own and report, but never refuse.
	Shadow bool `yaml:"shadow"`
	// Another limit, evaluated in shadow beside this one.
	Candidate *Limit `yaml:"candidate"`
	// What answers while the store is out of reach: the in-memory store, yes, or
	// 503.
	OnError string `yaml:"on_error" default:"local" enum:"local|allow|deny"`
	// Which part of a busy key's capacity each process may take from a shared store
	// at once, to admit by itself: 1% to 50%, or off. With N processes up to N such
	// parts more than the limit can pass within a period.
	Lease Lease `yaml:"lease" default:"off" min:"1" max:"50"`
}

// Cost is what a request takes from a limit. The zero value stands for 1.
type Cost struct {
	// N is in requests, ≥ 1.
	N int64
	// Header names the header that holds the cost, a whole number, where a
	// trusted peer sets it. Anything else there counts as 1.
	Header string
}

// DurationOrOff is a time above 0, or [Off]. The zero value stands for the default.
type DurationOrOff time.Duration

// Off is written off.
const Off DurationOrOff = -1

// Duration is 0 where it is off.
func (o DurationOrOff) Duration() time.Duration { return max(0, time.Duration(o)) }

// Lease is in percent of a limit's capacity, 1 to 50, or [NoLease]. The zero value
// stands for what is around it.
type Lease int64

// NoLease is written off.
const NoLease Lease = -1

// List is a list of texts that may be written as one text where it has only one.
type List []string

// Map is a mapping in the order in which it is written.
type Map[V any] []Entry[V]

// Entry is one line of a [Map].
type Entry[V any] struct {
	Key   string
	Value V
}

// Proxies compiles TrustedProxies. The error is that of
// [clientip.ParsePrefixes]; a Config from [Parse] has none.
func (c *Config) Proxies() (clientip.Prefixes, error) {
	return clientip.ParsePrefixes(c.TrustedProxies)
}
