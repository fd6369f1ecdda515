package policy

import (
	"strings"
	"testing"
)

// layer is a valid layer, for configurations whose mistake is elsewhere.
const okLayer = "\nlayers: [{name: a, by: ip, limit: 1/s}]\n"

// mistakes are configurations that must not load, each with the whole of what is
// said. Nothing here may turn into "no limit".
var mistakes = []struct{ name, src, want string }{
	// YAML itself.
	{"empty file", "", `weir.yaml:1:1: the file is empty: it needs layers: [{name: edge, by: ip, limit: 100/min}]`},
	{"comments only", "# nothing\n", `weir.yaml:1:1: the file is empty: it needs layers: [{name: edge, by: ip, limit: 100/min}]`},
	{"a text", "layers", `weir.yaml:1:1: the configuration is a text, not a map: write it as name: value`},
	{"tab", "layers:\n\t- name: a\n", `weir.yaml:2:1: a tab in the indentation: YAML indents with spaces`},
	{"tab after spaces", "layers:\n  - name: a\n  \tby: ip\n", `weir.yaml:3:3: a tab in the indentation: YAML indents with spaces`},
	{"half-written", "layers:\n  - name: edge\n    by: [ip, ", `weir.yaml:3:14: the file ends within a list or a map: close it with ] or }`},
	{"half-written map", "layers:\n  - {name: edge, by: ip", `weir.yaml:2:5: this map is not closed: it needs a } and commas between its entries; a text with a brace or a bracket in it needs quotes`},
	{"open quote", "store: \"memory:\nlayers: []\n", `weir.yaml:1:8: this quoted text is not closed: it needs the same quote at its end`},
	{"no colon", "store memory\nlayers: []\n", `weir.yaml:2:7: this colon has no place here: put text that holds a colon in quotes; or the line is indented too far, or the one above has no colon`},
	{"no colon below", "store: x\nlayers\nshare: 1\n", `weir.yaml:2:1: a line without a colon: write it as name: value`},
	{"second colon", "store: redis: //x\n", `weir.yaml:1:13: this colon has no place here: put text that holds a colon in quotes; or the line is indented too far, or the one above has no colon`},
	{"indented too far", "share: 1\n   budget: 20ms\n", `weir.yaml:2:10: this colon has no place here: put text that holds a colon in quotes; or the line is indented too far, or the one above has no colon`},
	{"indentation", "layers:\n  - name: a\n    by: ip\n   limit: 1/s\n", `weir.yaml:4:4: this line does not fit the indentation of those above: fields of one map begin in one column`},
	{"character", "store: @x\n", `weir.yaml:1:8: text that begins with this character: put it in quotes`},
	{"not UTF-8", "store: \"x\xff\"\n", `weir.yaml:1:10: byte 0xff is not UTF-8: save the file as UTF-8`},
	{"control character", "store: \"é\x01\"\n", `weir.yaml:1:10: control character U+0001`},
	{"two documents", "store: 'memory:'\n---\nshare: 1\n", `weir.yaml:2:1: a second document begins here: a configuration is one document: remove the --- or put it in a file of its own`},
	{"anchor", "plans: &p {free: 60/min}" + okLayer, `weir.yaml:1:8: anchors and aliases are not supported: write the value out; plans share limits between layers`},
	{"alias", "layers:\n  - &a {name: a, by: ip, limit: 1/s}\n  - *a\n", `weir.yaml:2:5: anchors and aliases are not supported: write the value out; plans share limits between layers
weir.yaml:3:5: anchors and aliases are not supported: write the value out; plans share limits between layers`},
	{"unknown alias", "layers: *a\n", `weir.yaml:1:9: not YAML: unknown anchor 'a' referenced`},
	{"merge key", "layers:\n  - <<: {by: ip}\n    name: a\n    by: ip\n    limit: 1/s\n", `weir.yaml:2:5: merge keys are not supported: write the fields out; plans share limits between layers`},
	{"tag", "layers: [{name: a, by: ip, limit: !!str 1/s}]\n", `weir.yaml:1:35: the tag !!str is not supported: remove the tag`},
	{"duplicate key", "share: 1\nbudget: 20ms\nshare: 2" + okLayer, `weir.yaml:3:1: the same name as in line 1: keep one of them`},
	{"duplicate layer field", "layers:\n  - name: a\n    by: ip\n    limit: 1/s\n    limit: 2/s\n", `weir.yaml:5:5: the same name as in line 4: keep one of them`},
	{"a map as name", "? [a]\n: 1" + okLayer, `weir.yaml:1:3: a name is a list: a name is one word`},
	{"too deep", "layers: " + strings.Repeat("[", 20000), `weir.yaml:1:10009: nested too deep: no configuration is`},

	// Fields.
	{"unknown field", "budgt: 20ms" + okLayer, `weir.yaml:1:1: unknown field "budgt": did you mean budget?`},
	{"other case", "Budget: 20ms" + okLayer, `weir.yaml:1:1: unknown field "Budget": did you mean budget?`},
	{"camel case", "trustedProxies: 10.0.0.0/8" + okLayer, `weir.yaml:1:1: unknown field "trustedProxies": did you mean trusted_proxies?`},
	{"a field in other letters is not missing too", "layers:\n  - {name: a, By: ip, limt: 1/s}\n", `weir.yaml:2:15: unknown field "By": did you mean by?
weir.yaml:2:23: unknown field "limt": did you mean limit?`},
	{"ipStrategy", "layers:\n  - name: a\n    ipStrategy: {depth: 1}\n    by: ip\n    limit: 1/s\n", `weir.yaml:3:5: unknown field "ipStrategy": write by: ip, and say in trusted_proxies whose headers count`},
	{"ipstrategy", "layers:\n  - name: a\n    by: ip\n    ipstrategy: {depth: 1}\n    limit: 1/s\n", `weir.yaml:4:5: unknown field "ipstrategy": write by: ip, and say in trusted_proxies whose headers count`},
	{"windw", "layers:\n  - {name: a, by: ip, limit: 1/s, windw: 60s}\n", `weir.yaml:2:35: unknown field "windw": the period is part of the limit: 100/min`},
	{"window without a unit", "layers:\n  - {name: a, by: ip, limit: 1/s, window: 60}\n", `weir.yaml:2:35: unknown field "window": the period is part of the limit: 100/min`},
	{"nothing near", "zzzzzzzz: 1" + okLayer, `weir.yaml:1:1: unknown field "zzzzzzzz": known are store, secret, budget, deny_cache, share, max_keys, trusted_proxies, ipv4_prefix, ipv6_prefix, unknown_ip, headers, allow, deny, plans, clients, layers`},
	{"empty field", "store:" + okLayer, `weir.yaml:1:7: store is empty: fill it in or remove it`},
	{"empty map", "plans: {}" + okLayer, `weir.yaml:1:8: plans is an empty map: fill it in or remove it`},
	{"empty list", "allow: []" + okLayer, `weir.yaml:1:8: allow is an empty list: fill it in or remove it`},
	{"list for a text", "store: [a]" + okLayer, `weir.yaml:1:8: store is a list, not a text`},
	{"text for a map", "headers: off" + okLayer, `weir.yaml:1:10: headers is a text, not a map: write it as name: value`},
	{"word", "unknown_ip: share" + okLayer, `weir.yaml:1:13: unknown_ip is "share": write deny or skip`},
	{"yes for true", "layers: [{name: a, by: ip, limit: 1/s, shadow: yes}]\n", `weir.yaml:1:48: shadow is "yes": write true or false`},
	{"bare duration", "budget: 20" + okLayer, `weir.yaml:1:9: budget is "20", a number without a unit: did you mean 20ms?`},
	{"duration", "budget: fast" + okLayer, `weir.yaml:1:9: budget is "fast", not a duration: write it as 20ms or 1m30s`},
	{"neither duration nor off", "deny_cache: fast" + okLayer, `weir.yaml:1:13: deny_cache is "fast", not a duration: write it as 20ms or 1m30s`},
	{"bare duration or off", "deny_cache: 1" + okLayer, `weir.yaml:1:13: deny_cache is "1", a number without a unit: did you mean 1ms?`},
	{"no duration and not off", "deny_cache: 0s" + okLayer, `weir.yaml:1:13: deny_cache is 0s: write a time above 0, or off`},
	{"a lease without a unit", "layers: [{name: a, by: ip, limit: 1000/s, lease: 5}]\n", `weir.yaml:1:50: lease is "5", a number without a unit: did you mean 5%?`},
	{"a fraction of a lease", "layers: [{name: a, by: ip, limit: 1000/s, lease: 0.5%}]\n", `weir.yaml:1:50: lease is "0.5%", not a percentage: write whole percent, such as 5%, or off`},
	{"no lease", "layers: [{name: a, by: ip, limit: 1000/s, lease: 0%}]\n", `weir.yaml:1:50: lease is 0%: write 1% to 50%, or off`},
	{"too long a lease", "layers: [{name: a, by: ip, limit: 1000/s, lease: 51%}]\n", `weir.yaml:1:50: lease is 51%: write 1% to 50%, or off`},
	{"a lease of one request", "layers: [{name: a, by: ip, limit: {limit: 10/s, lease: 5%}}]\n", `weir.yaml:1:56: layer a: 10/s: lease of 5% is less than 2 requests of 10`},
	{"a lease of a log", "layers: [{name: a, by: ip, limit: {limit: 1000/s, algorithm: sliding-log, lease: 5%}}]\n", `weir.yaml:1:82: layer a: 1000/s: lease does not exist for sliding-log`},
	{"a lease where all is counted", "layers: [{name: a, by: ip, algorithm: fixed-window, count: all, limit: {limit: 1000/s, lease: 5%}}]\n", `weir.yaml:1:95: layer a: 1000/s: lease does not exist where all is counted`},
	{"a lease of a short period", "layers: [{name: a, by: ip, limit: {limit: 1000/10ms, lease: 5%}}]\n", `weir.yaml:1:61: layer a: 1000/10ms: lease does not exist for periods below 100ms`},
	{"a lease of a word", "layers: [{name: a, by: ip, limit: {limit: blocked, lease: 5%}}]\n", `weir.yaml:1:35: blocked has settings, which mean nothing there: remove them`},
	{"negative duration", "budget: -20ms" + okLayer, `weir.yaml:1:9: budget is -20ms: write a time above 0`},
	{"share", "share: 0" + okLayer, `weir.yaml:1:8: share is 0: write a number from 1`},
	{"underscore", "max_keys: 1_000" + okLayer, `weir.yaml:1:11: max_keys is "1_000", not a whole number: write it with digits alone, such as 1000`},
	{"hexadecimal", "share: 0x10" + okLayer, `weir.yaml:1:8: share is "0x10", not a whole number: write it with digits alone, such as 1000`},
	{"leading zero", "share: 010" + okLayer, `weir.yaml:1:8: share is "010", not a whole number: write it with digits alone, such as 1000`},
	{"too large", "share: 99999999999999999999" + okLayer, `weir.yaml:1:8: share is "99999999999999999999", not a whole number: write it with digits alone, such as 1000`},
	{"prefixes", "ipv4_prefix: 33\nipv6_prefix: 129" + okLayer, `weir.yaml:1:14: ipv4_prefix is 33: write a number from 1 to 32
weir.yaml:2:14: ipv6_prefix is 129: write a number from 1 to 128`},
	{"prefixes below", "ipv4_prefix: 0\nipv6_prefix: -1" + okLayer, `weir.yaml:1:14: ipv4_prefix is 0: write a number from 1 to 32
weir.yaml:2:14: ipv6_prefix is -1: write a number from 1 to 128`},
	{"CIDR", "trusted_proxies: [10.0.0.0/8, 10.0.0.0/33, proxy.local]" + okLayer, `weir.yaml:1:31: trusted_proxies[1]: "10.0.0.0/33" is not an address or a CIDR prefix: prefix length: want 0 to 32
weir.yaml:1:44: trusted_proxies[2]: "proxy.local" is not an address or a CIDR prefix: not an IP address or a prefix of one`},
	{"callers", "allow: [10.0.0.0/8, \"key:\"]\ndeny: k1" + okLayer, `weir.yaml:1:21: allow[1]: the key is empty: write key:API-KEY
weir.yaml:2:7: deny[0]: "k1" is not an address or a CIDR prefix: not an IP address or a prefix of one`},

	// The store.
	{"store scheme", "store: rdis://h:1" + okLayer, `weir.yaml:1:8: store has an unknown scheme "rdis": did you mean redis?`},
	{"store without scheme", "store: localhost:6379" + okLayer, `weir.yaml:1:8: store has no scheme: write memory: or redis://host:port`},
	{"store alone", "store: memory" + okLayer, `weir.yaml:1:8: store has no scheme: write memory: or redis://host:port`},
	{"store without host", "store: redis:/127.0.0.1" + okLayer, `weir.yaml:1:8: store is not a URL of a redis store: write redis://[user:pass@]host:port[/db]`},
	{"store keeps its password", "store: redis://u:hunter2@h:port" + okLayer, `weir.yaml:1:8: store is not a URL of a redis store: write redis://[user:pass@]host:port[/db]`},
	{"sentinel without master", "store: redis+sentinel://h:1,i:2" + okLayer, `weir.yaml:1:8: store is not a URL of a redis+sentinel store: write redis+sentinel://host:port,host:port/master`},
	{"unix without path", "store: unix:///" + okLayer, `weir.yaml:1:8: store is not a URL of a unix store: write unix:///path`},
	{"memory with a host", "store: memory://x" + okLayer, `weir.yaml:1:8: store is not a URL of a memory store: write memory:`},

	// Layers.
	{"no layers", "store: 'memory:'\n", `weir.yaml:1:1: there are no layers: write at least one: {name: edge, by: ip, limit: 100/min}`},
	{"no layer", "layers: []\n", `weir.yaml:1:9: there are no layers: write at least one: {name: edge, by: ip, limit: 100/min}`},
	{"layers as a map", "layers: {edge: {by: ip}}\n", `weir.yaml:1:9: layers is a map, not a list: begin each entry with a dash`},
	{"a layer of nothing", "layers:\n  - {}\n", `weir.yaml:2:5: the layer has no name: write name: edge
weir.yaml:2:5: the layer: by is missing: write by: ip, by: client, or a list such as [client, route]
weir.yaml:2:5: the layer: limit is missing: write limit: 100/min, or routes`},
	{"name", "layers: [{name: a b, by: ip, limit: 1/s}]\n", `weir.yaml:1:17: the layer's name is "a b": a name has letters, digits, dots, dashes and underscores, at most 64`},
	{"name in use", "layers: [{name: adhoc, by: ip, limit: 1/s}]\n", `weir.yaml:1:17: the name "adhoc" is taken for checks without a policy: choose another name`},
	{"two layers of a name", "layers:\n  - {name: a, by: ip, limit: 1/s}\n  - {name: a, by: ip, limit: 2/s}\n", `weir.yaml:3:12: a second layer "a": give each layer a name of its own`},
	{"by", "layers: [{name: a, by: IP, limit: 1/s}]\n", `weir.yaml:1:24: by "IP": did you mean ip?`},
	{"by key", "layers: [{name: a, by: [api_key], limit: 1/s}]\n", `weir.yaml:1:25: by "api_key": did you mean client?`},
	{"by path", "layers: [{name: a, by: [ip, path], limit: 1/s}]\n", `weir.yaml:1:29: by path would give a fresh bucket to every path that a caller invents: write route, and the patterns under routes or match.path`},
	{"by a header without a name", "layers: [{name: a, by: \"header:\", limit: 1/s}]\n", `weir.yaml:1:24: by "header:": write ip, client, route, method, host, all or header:NAME`},
	{"by twice", "layers: [{name: a, by: [ip, ip], limit: 1/s}]\n", `weir.yaml:1:29: "ip" twice: keep one of them`},
	{"by all and more", "layers: [{name: a, by: [all, ip], limit: 1/s}]\n", `weir.yaml:1:24: all beside others changes nothing: remove it`},
	{"by route without routes", "layers: [{name: a, by: [ip, route], limit: 1/s}]\n", `weir.yaml:1:24: layer a: by route, and there are no routes: write routes, or match: {path: […]}`},
	{"routes without by route", "layers: [{name: a, by: ip, routes: {/a: 1/s}}]\n", `weir.yaml:1:24: layer a: routes have limits of their own, but by does not say route: add route: [client, route]`},
	{"charge", "layers: [{name: a, by: ip, limit: 1/s, charge: admited}]\n", `weir.yaml:1:48: charge is "admited": did you mean admitted?`},
	{"count all and charge admitted", "layers: [{name: a, by: ip, limit: 1/s, algorithm: fixed-window, charge: admitted, count: all}]\n", `weir.yaml:1:90: layer a: count: all counts refused requests, and charge: admitted does not charge them: choose one of them`},
	{"count all in a limit and charge admitted", "layers: [{name: a, by: ip, limit: [{limit: 1/s, count: all}], algorithm: fixed-window, charge: admitted}]\n", `weir.yaml:1:56: layer a: count: all counts refused requests, and charge: admitted does not charge them: choose one of them`},
	{"count all in a plan and charge admitted", "plans: {free: {limit: 1/s, algorithm: fixed-window, count: all}}\nlayers: [{name: a, by: client, limit: plan, charge: admitted}]\n", `weir.yaml:1:60: layer a: count: all counts refused requests, and charge: admitted does not charge them: choose one of them`},
	{"on_error apart", "layers: [{name: a, by: ip, limit: [1/s, {limit: 2/h, on_error: deny}]}]\n", `weir.yaml:1:64: layer a: limits that are taken together differ in on_error: write on_error once, for all of them`},

	// Limits.
	{"no unit", "layers: [{name: a, by: ip, limit: 60}]\n", `weir.yaml:1:35: layer a: "60" is not COUNT/PERIOD: write it as 100/min, 10/s, 30/10s or 100/1h30m`},
	{"period without a unit", "layers: [{name: a, by: ip, limit: 5/60}]\n", `weir.yaml:1:35: layer a: "5/60" has a period "60" that is not one: a number alone has no unit: did you mean 60s?`},
	{"count with an underscore", "layers: [{name: a, by: ip, limit: 1_000/min}]\n", `weir.yaml:1:35: layer a: "1_000/min" has a count "1_000" that is not a whole number: a count is a plain whole number such as 1000`},
	{"word in another case", "layers: [{name: a, by: ip, limit: Unlimited}]\n", `weir.yaml:1:35: layer a: "Unlimited" is not COUNT/PERIOD: did you mean unlimited?`},
	{"empty limit", "layers:\n  - name: a\n    by: ip\n    limit:\n", `weir.yaml:4:11: limit is empty: fill it in or remove it`},
	{"count out of range", "layers: [{name: a, by: ip, limit: 4294967297/s, algorithm: sliding-log}]\n", `weir.yaml:1:35: layer a: 4294967297/s: count 4294967297 is outside 0 to 4294967296 for sliding-log`},
	{"2^53 + 1", "layers: [{name: a, by: ip, limit: 9007199254740993/h, algorithm: fixed-window}]\n", `weir.yaml:1:35: layer a: 9007199254740993/h: count 9007199254740993 is outside 0 to 9007199254740992 for fixed-window`},
	{"beyond integers", "layers: [{name: a, by: ip, limit: 98765432198765432198765/h}]\n", `weir.yaml:1:35: layer a: "98765432198765432198765/h" has a count above 9223372036854775807: counts go up to 9007199254740992 for fixed-window, 1099511627776 for gcra and token-bucket, 4294967296 for the others`},
	{"period out of range", "layers: [{name: a, by: ip, limit: 1/408d}]\n", `weir.yaml:1:35: layer a: 1/408d: period is outside 1µs to 407d`},
	{"burst for a window", "layers: [{name: a, by: ip, limit: 1/s, algorithm: fixed-window, burst: 2}]\n", `weir.yaml:1:72: burst does not exist for fixed-window: remove it, or choose gcra or token-bucket`},
	{"burst in a plan for a window", "plans: {free: {limit: 1/s, burst: 5}}\nlayers: [{name: a, by: client, limit: plan, algorithm: sliding-log}]\n", `weir.yaml:1:35: burst does not exist for sliding-log: remove it, or choose gcra or token-bucket`},
	{"burst 0", "layers: [{name: a, by: ip, limit: 1/s, burst: 0}]\n", `weir.yaml:1:47: burst is 0: write a number from 1 to 2199023255552`},
	{"count all for gcra", "layers: [{name: a, by: ip, limit: 1/s, count: all}]\n", `weir.yaml:1:47: count: all does not exist for gcra: remove it, or write algorithm: fixed-window`},
	{"cost 0", "layers: [{name: a, by: ip, limit: 1/s, cost: 0}]\n", `weir.yaml:1:46: cost is 0: write a number from 1, or unlimited as the limit`},
	{"cost of a word", "layers: [{name: a, by: ip, limit: 1/s, cost: X-Cost}]\n", `weir.yaml:1:46: cost is "X-Cost", not a whole number: write it with digits alone, such as 1000`},
	{"cost above the burst", "layers: [{name: a, by: ip, limit: {limit: 100/min, burst: 5, cost: 10}}]\n", `weir.yaml:1:68: layer a: the cost 10 is above the 5 that 100/min gcra burst 5 admits at once, so every request would be refused: lower it, or raise the burst`},
	{"cost above the limit", "layers: [{name: a, by: ip, limit: 5/min, cost: 10, algorithm: sliding-log}]\n", `weir.yaml:1:35: layer a: the cost 10 is above the 5 that 5/min sliding-log admits at once, so every request would be refused: lower it, or raise the limit`},
	{"cost above a plan", "plans: {free: 5/min}\nlayers: [{name: a, by: client, limit: plan, cost: 10}]\n", `weir.yaml:1:15: plan free: the cost 10 is above the 5 that 5/min gcra admits at once, so every request would be refused: lower it, or raise the burst`},
	{"cost of the host", "layers: [{name: a, by: ip, limit: 1/s, cost: \"header:Host\"}]\n", `weir.yaml:1:46: no request has the header Host: it is the host: choose another header`},
	{"by the header Host", "layers: [{name: a, by: \"header:host\", limit: 1/s}]\n", `weir.yaml:1:24: no request has the header Host: it is the host: write by: host`},
	{"by a header that the server takes out", "layers: [{name: a, by: \"header:transfer-encoding\", limit: 1/s}]\n", `weir.yaml:1:24: no request has the header Transfer-Encoding: the server takes it out: choose another header`},
	{"key in the header Host", "clients: {key: \"header:Host\"}" + okLayer, `weir.yaml:1:16: no request has the header Host: it is the host: choose another header`},
	{"match of the header Host", "layers: [{name: a, by: ip, limit: 1/s, match: {header: {Host: c}}}]\n", `weir.yaml:1:57: no request has the header Host: it is the host: write match.host`},
	{"room for one request", "max_keys: 2\nlayers: [{name: a, by: ip, limit: [1/s, 5/min]}, {name: b, by: ip, limit: {limit: 1/s, candidate: 2/s}}]\n", `weir.yaml:1:11: max_keys is 2, and one request can need 4: write 1000 or more`},
	{"cost of no header", "layers: [{name: a, by: ip, limit: 1/s, cost: \"header:a b\"}]\n", `weir.yaml:1:46: cost names no header: write header:X-Cost`},
	{"two limits of a period", "layers: [{name: a, by: ip, limit: [10/s, 20/s]}]\n", `weir.yaml:1:42: layer a: two limits are named "s": give one a name: {limit: 20/s, name: …}`},
	{"name of a limit", "layers: [{name: a, by: ip, limit: {limit: 1/s, name: x#y}}]\n", `weir.yaml:1:54: the limit's name is "x#y": a name has letters, digits, dots, dashes and underscores, at most 64`},
	{"name of several", "layers: [{name: a, by: ip, limit: {limit: [1/s, 2/min], name: x}}]\n", `weir.yaml:1:63: one name for several limits: name each limit of the list`},
	{"empty list of limits", "layers: [{name: a, by: ip, limit: []}]\n", `weir.yaml:1:35: limit is an empty list: write COUNT/PERIOD, such as 100/min`},
	{"list in a list", "layers: [{name: a, by: ip, limit: [[1/s], 2/min]}]\n", `weir.yaml:1:36: a list within a list: write all limits in one list`},
	{"unlimited among others", "layers: [{name: a, by: ip, limit: [1/s, unlimited]}]\n", `weir.yaml:1:41: unlimited among other limits: write it as the only limit`},
	{"settings of unlimited", "layers: [{name: a, by: ip, limit: {limit: unlimited, burst: 5}}]\n", `weir.yaml:1:35: unlimited has settings, which mean nothing there: remove them`},
	{"limit missing in a map", "layers: [{name: a, by: ip, limit: {burst: 5}}]\n", `weir.yaml:1:35: limit is missing: write {limit: 100/min, …}`},
	{"settings in settings", "layers: [{name: a, by: ip, limit: {limit: {limit: 1/s}}}]\n", `weir.yaml:1:43: settings within settings: write the settings beside this limit`},
	{"candidate of a candidate", "layers: [{name: a, by: ip, limit: 2/s, candidate: {limit: 1/s, candidate: 3/s}}]\n", `weir.yaml:1:75: a candidate of a candidate: write one candidate`},
	{"candidate beside routes", "layers: [{name: a, by: [ip, route], routes: {/a: 1/s}, candidate: 1/s}]\n", `weir.yaml:1:67: a candidate stands beside limit, and there is none: write it in the route`},

	// Plans and clients.
	{"plan not defined", "plans: {free: 60/min}\nclients: {plan: {k1: fre}}\nlayers: [{name: a, by: client, limit: plan}]\n", `weir.yaml:2:22: the plan "fre" is not defined: did you mean free?`},
	{"unknown", "plans: {free: 60/min}\nclients: {plan: {k1: free}, unknown: denny}\nlayers: [{name: a, by: client, limit: plan}]\n", `weir.yaml:2:38: the plan "denny" is not defined: did you mean deny?`},
	{"missing", "plans: {free: 60/min}\nclients: {missing: anon}\nlayers: [{name: a, by: client, limit: plan}]\n", `weir.yaml:2:20: the plan "anon" is not defined: write ip, skip, deny or free`},
	{"missing ip without free", "plans: {basic: 60/min}\nclients: {plan: {k1: basic}, missing: ip}\nlayers: [{name: a, by: client, limit: plan}]\n", `weir.yaml:2:39: ip counts by address on the plan free, which is not defined: define it, or name a plan here`},
	{"no plans", "layers: [{name: a, by: client, limit: plan}]\n", `weir.yaml:1:39: layer a: the limit is plan, and there are no plans: define plans: {free: 60/min, …}`},
	{"keys believed without free", "plans: {pro: 60/min}\nlayers: [{name: a, by: client, limit: plan}]\n", `weir.yaml:1:8: keys are not listed, so all are on the plan free, which is not defined: define it, or list keys under clients`},
	{"plan of a plan", "plans: {free: plan}\nlayers: [{name: a, by: client, limit: plan}]\n", `weir.yaml:1:15: a plan's limit is a plan: write COUNT/PERIOD, such as 60/min`},
	{"plan named as a word", "plans: {ip: 60/min, free: 1/s}" + okLayer, `weir.yaml:1:9: "ip" cannot be the name of a plan: it is a word in unknown and missing: choose another name`},
	{"a mistake in a plan that two layers use", "plans: {free: 5/mn}\nlayers: [{name: a, by: client, limit: plan}, {name: b, by: client, limit: plan}]\n", `weir.yaml:1:15: plan free: "5/mn" has a period "mn" that is not one: HINT`},
	{"a mistake in a plan that nothing uses", "plans: {free: 5/mn}" + okLayer, `weir.yaml:1:15: plan free: "5/mn" has a period "mn" that is not one: HINT`},
	{"two sources", "plans: {free: 60/min}\nclients: {plan: {k1: free}, file: keys.yaml}" + okLayer, `weir.yaml:2:35: plans come from clients.plan already: keep one of them`},
	{"key", "clients: {key: X-API-Key}" + okLayer, `weir.yaml:1:16: clients.key is "X-API-Key": did you mean header:X-API-Key?`},
	{"listed key twice, not shown", "plans: {free: 60/min}\nclients: {plan: {s3cret: free, s3cret: free}}" + okLayer, `weir.yaml:2:32: the same name as in line 2: keep one of them`},
	{"plan header", "clients: {header: X Plan}" + okLayer, `weir.yaml:1:19: "X Plan" is not the name of a header: write X-Plan`},

	// Match and routes.
	{"pattern", "layers: [{name: a, by: [ip, route], routes: {search: 1/s}}]\n", `weir.yaml:1:46: the pattern "search" has no slash: did you mean /search?`},
	{"pattern's method", "layers: [{name: a, by: [ip, route], routes: {post /a: 1/s}}]\n", `weir.yaml:1:46: the pattern "post /a" has a method "post" that is not in upper case: did you mean POST?`},
	{"pattern with a space", "layers: [{name: a, by: [ip, route], routes: {/a b: 1/s}}]\n", `weir.yaml:1:46: the pattern "/a b" has a space in its path: did you mean /a%20b?`},
	{"pattern not clean", "layers: [{name: a, by: [ip, route], routes: {/a//b/../c: 1/s}}]\n", `weir.yaml:1:46: the pattern "/a//b/../c" is not clean, and requests' paths are cleaned first: did you mean /a/c?`},
	{"pattern with a query", "layers: [{name: a, by: [ip, route], routes: {/a?b=c: 1/s}}]\n", `weir.yaml:1:46: the pattern "/a?b=c" has a query: patterns match paths alone`},
	{"pattern with a glob", "layers: [{name: a, by: [ip, route], routes: {\"/a/{id}.json\": 1/s}}]\n", `weir.yaml:1:46: the pattern "/a/{id}.json" has a wildcard inside the segment "{id}.json": a wildcard is a whole segment: /users/{id}/orders`},
	{"pattern with a port", "layers: [{name: a, by: [ip, route], routes: {\"H:80/a\": 1/s}}]\n", `weir.yaml:1:46: the pattern "H:80/a" has a port: ports are not matched: did you mean h/a?`},
	{"patterns in conflict", "layers: [{name: a, by: [ip, route], routes: {\"/a/{x}/\": 1/s, \"/{y}/b/\": 2/s}}]\n", `weir.yaml:1:62: the pattern "/{y}/b/" and "/a/{x}/" fit the same requests, and neither is more specific: make one more specific than the other`},
	{"the rest twice", "layers: [{name: a, by: [ip, route], limit: 5/s, routes: {/: 1/s}}]\n", `weir.yaml:1:44: the pattern "/" and "/" fit the same requests, and neither is more specific: make one more specific than the other`},
	{"host", "layers: [{name: a, by: ip, limit: 1/s, match: {host: api.*.com}}]\n", `weir.yaml:1:54: the host "api.*.com" is not one: write api.example.com, or *.example.com for all below it`},
	{"method", "layers: [{name: a, by: ip, limit: 1/s, match: {method: [GET, post]}}]\n", `weir.yaml:1:62: the method "post" is not in upper case: did you mean POST?`},
	{"header", "layers: [{name: a, by: ip, limit: 1/s, match: {header: {a b: c}}}]\n", `weir.yaml:1:57: "a b" is not the name of a header: write X-Name: value`},
}

func TestMistakes(t *testing.T) {
	for _, c := range mistakes {
		t.Run(c.name, func(t *testing.T) {
			config, err := Parse("weir.yaml", []byte(c.src))
			if err == nil {
				t.Fatalf("accepted:\n%s", config.Canonical())
			}
			got := err.Error()
			if before, _, any := strings.Cut(c.want, "HINT"); any { // the hint is the root package's
				if strings.HasPrefix(got, before) && !strings.Contains(got, "\n") {
					return
				}
			}
			if got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// What follows from a field that could not be read is not said, and all else is.
func TestUnread(t *testing.T) {
	s := source{bad: map[string]bool{"layers[10]": true, "a.bc[1]": true, `m["x"].y`: true}}
	for path, want := range map[string]bool{
		"layers[10]": true, "layers[10].by": true, "layers[1]": false, "layers": true, "a.b": false, "a.bc": true, "a": true,
		`m["x"]`: true, `m["x"].y`: true, `m["x"].y#key`: true, `m["x"].z`: false, `m["x"]#key`: false, "other": false,
	} {
		if got := s.unread(path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}

// What is valid, and opens the door to everybody or leaves no room for most.
func TestDoubtfulSettings(t *testing.T) {
	for _, c := range []struct{ head, want string }{
		{"max_keys: 999", "weir.yaml:1:11: max_keys is 999, so few callers fill the store: leave it out: the default is 1048576"},
		{"max_keys: 1000", ""},
		{"trusted_proxies: [10.0.0.0/8, 0.0.0.0/0]", "weir.yaml:1:31: 0.0.0.0/0 trusts everybody: any caller can name its own address, cost and plan: list the addresses of the proxies"},
		{"trusted_proxies: [\"::/0\"]", "weir.yaml:1:19: ::/0 trusts everybody: any caller can name its own address, cost and plan: list the addresses of the proxies"},
	} {
		_, warnings, err := mustParse(t, c.head+okLayer).Compile(Options{})
		var got []string
		for _, w := range warnings {
			got = append(got, w.String())
		}
		if text := strings.Join(got, "\n"); err != nil || text != c.want {
			t.Errorf("%s: got %q, %v\nwant %q", c.head, text, err, c.want)
		}
	}
}
