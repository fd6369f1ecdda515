package daemon

import "strings"

var badChecks = []wrong{
	{name: "cost is a fraction", path: "/check?cost=1.5", detail: `cost="1.5" is not a whole number from 0 to 9223372036854775807.`},
	{name: "cost is negative", path: "/check?cost=-1", detail: `cost="-1" is not a whole number from 0 to 9223372036854775807.`},
	{name: "cost is NaN", path: "/check?cost=NaN", detail: `cost="NaN" is not a whole number from 0 to 9223372036854775807.`},
	{name: "cost is empty", path: "/check?cost=", detail: `cost="" is not a whole number from 0 to 9223372036854775807.`},
	{name: "cost with a sign", path: "/check?cost=%2B1", detail: `cost="+1" is not a whole number from 0 to 9223372036854775807.`},
	{name: "cost is 2^63", path: "/check?cost=9223372036854775808", detail: `cost="9223372036854775808" is not a whole number from 0 to 9223372036854775807.`},
	{name: "cost is very long", path: "/check?cost=" + strings.Repeat("9", 9000), detail: `cost="9999999999999999999999999999999999999999" is not a whole number from 0 to 9223372036854775807.`},
	{name: "peek is a word", path: "/check?peek=true", detail: `peek="true" is neither 0 nor 1.`},
	{name: "peek is empty", path: "/check?peek", detail: `peek="" is neither 0 nor 1.`},
	{name: "deny is 200", path: "/check?deny=200", detail: `deny="200" is not a status from 400 to 499.`},
	{name: "deny is 500", path: "/check/search?deny=500", detail: `deny="500" is not a status from 400 to 499.`},
	{name: "deny is a word", path: "/check?deny=no", detail: `deny="no" is not a status from 400 to 499.`},
	{name: "deny is huge", path: "/check?deny=99999999999999999999", detail: `deny="99999999999999999999" is not a status from 400 to 499.`},

	{name: "an unknown path", path: "/chek", status: 404, detail: "There is nothing here; there are /check, /v1/take, /v1/take/batch and /v1/refund."},
	{name: "a longer word", path: "/checkout", status: 404, detail: "There is nothing here; there are /check, /v1/take, /v1/take/batch and /v1/refund."},
	{name: "escaped", path: "/%63heck", status: 404, detail: "There is nothing here; there are /check, /v1/take, /v1/take/batch and /v1/refund."},
	{name: "the root", path: "/", status: 404, detail: "There is nothing here; there are /check, /v1/take, /v1/take/batch and /v1/refund."},
	{name: "an unknown path of the API", path: "/v1/taek", status: 404, detail: "There is nothing at /v1/taek; there are /v1/take, /v1/take/batch and /v1/refund."},
	{name: "a slash too many", path: "/v1/take/", status: 404, detail: "There is nothing at /v1/take/; there are /v1/take, /v1/take/batch and /v1/refund."},
}

var badAdmin = []wrong{
	{name: "an unknown path", path: "/metrics/", status: 404, detail: "There is nothing here; there are /healthz, /readyz, /metrics, and below /v1/ live, keys, decisions, explain, config and reset."},
	{name: "what the traffic port has", path: "/check", status: 404, detail: "There is nothing here; there are /healthz, /readyz, /metrics, and below /v1/ live, keys, decisions, explain, config and reset."},
	{name: "health by POST", method: "POST", path: "/healthz", status: 405, detail: "/healthz takes GET, not POST."},
	{name: "readiness by POST", method: "POST", path: "/readyz", status: 405, detail: "/readyz takes GET, not POST."},
	{name: "metrics by POST", method: "POST", path: "/metrics", status: 405, detail: "/metrics takes GET, not POST."},
	{name: "reset by GET", path: "/v1/reset", status: 405, detail: "/v1/reset takes POST, not GET."},
	{name: "reset by DELETE", method: "DELETE", path: "/v1/reset", status: 405, detail: "/v1/reset takes POST, not DELETE."},

	{name: "reset: no body", method: "POST", path: "/v1/reset", detail: "The body is empty."},
	{name: "reset: no JSON", method: "POST", path: "/v1/reset", body: "layer=edge", detail: "The body is not JSON: byte 1: invalid character 'l' looking for beginning of value."},
	{name: "reset: trailing data", method: "POST", path: "/v1/reset", body: `{"layer": "edge", "key": "203.0.113.7"} x`, detail: "The body goes on after its JSON value."},
	{name: "reset: no key", method: "POST", path: "/v1/reset", body: `{"layer": "edge"}`, detail: `Layer and key are both needed: {"layer": "gateway", "key": "k1"}.`},
	{name: "reset: an empty key", method: "POST", path: "/v1/reset", body: `{"layer": "edge", "key": ""}`, detail: `Layer and key are both needed: {"layer": "gateway", "key": "k1"}.`},
	{name: "reset: no layer", method: "POST", path: "/v1/reset", body: `{"key": "203.0.113.7"}`, detail: `Layer and key are both needed: {"layer": "gateway", "key": "k1"}.`},
	{name: "reset: a number", method: "POST", path: "/v1/reset", body: `{"layer": "edge", "key": 5}`, detail: "The field key takes a string, not a number."},
	{name: "reset: a misspelt field", method: "POST", path: "/v1/reset", body: `{"layr": "edge", "key": "k"}`, detail: `The body has no field "layr"; did you mean "layer"?`},
	{name: "reset: a misspelt layer", method: "POST", path: "/v1/reset", body: `{"layer": "edg", "key": "k"}`, detail: `This cannot be reset: there is no layer "edg": did you mean edge?`},
	{name: "reset: too large", method: "POST", path: "/v1/reset", body: strings.Repeat(" ", 64<<10+1), status: 413, detail: "The body is larger than 65536 bytes."},

	{name: "from another site", method: "POST", path: "/v1/reset", header: map[string]string{"Sec-Fetch-Site": "cross-site"}, status: 403, detail: "This was sent by a web page of another origin."},
	{name: "from another origin", method: "POST", path: "/v1/reset", header: map[string]string{"Origin": "https://evil.example"}, status: 403, detail: "This was sent by a web page of another origin."},
	{name: "under a name that leads here", method: "POST", path: "/v1/reset", header: map[string]string{"Host": "evil.example:9090"}, status: 403, detail: "Without an admin token this answers to localhost, 127.0.0.1 and [::1] only."},
	{name: "metrics under a name that leads here", path: "/metrics", header: map[string]string{"Host": "127.0.0.1.evil.example"}, status: 403, detail: "Without an admin token this answers to localhost, 127.0.0.1 and [::1] only."},
}

const needsToken = "This needs the admin token: Authorization: Bearer TOKEN."

var badTokens = []wrong{
	{name: "no token", path: "/metrics", status: 401, detail: needsToken},
	{name: "no token, unknown path", path: "/x", status: 401, detail: needsToken},
	{name: "no token, reset", method: "POST", path: "/v1/reset", body: `{"layer": "edge", "key": "k"}`, status: 401, detail: needsToken},
	{name: "another token", path: "/metrics", header: map[string]string{"Authorization": "Bearer tokeN"}, status: 401, detail: needsToken},
	{name: "the beginning of the token", path: "/metrics", header: map[string]string{"Authorization": "Bearer toke"}, status: 401, detail: needsToken},
	{name: "an empty token", path: "/metrics", header: map[string]string{"Authorization": "Bearer "}, status: 401, detail: needsToken},
	{name: "the token alone", path: "/metrics", header: map[string]string{"Authorization": "token"}, status: 401, detail: needsToken},
	{name: "another scheme", path: "/metrics", header: map[string]string{"Authorization": "Basic token"}, status: 401, detail: needsToken},
	{name: "from another site, with the token", method: "POST", path: "/v1/reset", header: map[string]string{"Authorization": "Bearer token", "Sec-Fetch-Site": "cross-site"}, status: 403, detail: "This was sent by a web page of another origin."},
}
