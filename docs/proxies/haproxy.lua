-- weir in HAProxy: `http-request lua.weir open` asks weir, refuses with its answer,
-- and leaves its rate fields in variables for haproxy.cfg to put on any answer.

local check = "http://127.0.0.1:8079/check" -- the listener weir_local in haproxy.cfg
local backstop = 5000                       -- milliseconds; weir_local answers long before, see its timeouts

-- Of the client's own fields these are not passed on to weir: they belong to its
-- connection or its body.
local withheld = {
    ["connection"] = true, ["keep-alive"] = true, ["te"] = true, ["trailer"] = true, ["upgrade"] = true,
    ["transfer-encoding"] = true, ["content-length"] = true, ["expect"] = true, ["host"] = true,
}

local rate_fields = {
    ["weir-decision"] = "txn.weir_decision", ["weir-degraded"] = "txn.weir_degraded",
    ["x-ratelimit-limit"] = "txn.weir_limit", ["x-ratelimit-remaining"] = "txn.weir_remaining", ["x-ratelimit-reset"] = "txn.weir_reset",
    ["ratelimit"] = "txn.weir_ratelimit", ["ratelimit-policy"] = "txn.weir_policy",
}

local function question(txn)
    local headers = {}
    for name, values in pairs(txn.http:req_get_headers()) do
        if not withheld[name] then
            local list = {}
            for i = 0, #values do -- HAProxy counts from 0 here
                list[#list + 1] = values[i]
            end
            headers[name] = list
        end
    end
    -- These weir believes, so they replace the client's.
    headers["x-real-ip"] = { txn.sf:src() }
    headers["x-original-method"] = { txn.sf:method() }
    headers["x-original-uri"] = { txn.sf:pathq() }
    headers["x-original-host"] = { txn.sf:req_hdr("host") }
    return headers
end

local function refuse(txn, status, body, retry_after)
    local reply = txn:reply({ status = status, body = body })
    reply:add_header("content-type", "application/problem+json")
    reply:add_header("cache-control", "no-store")
    if retry_after then
        reply:add_header("retry-after", retry_after[0])
    end
    txn:done(reply)
end

local function weir(txn, down)
    local answer = core.httpclient():get({ url = check, headers = question(txn), timeout = backstop })
    local headers = answer.headers or {}
    for name, variable in pairs(rate_fields) do
        if headers[name] then
            txn:set_var(variable, headers[name][0])
        end
    end
    if answer.status == 200 then
        return
    elseif headers["content-type"] and headers["content-type"][0] == "application/problem+json" then
        refuse(txn, answer.status, answer.body, headers["retry-after"]) -- it is weir that says no
    elseif answer.status and answer.status >= 400 and answer.status < 500 then
        -- HAProxy's own word for a check that is too long, as the client's header nearly
        -- is: weir is not down.
        refuse(txn, 400, '{"type":"about:blank","title":"Bad Request","status":400}')
    elseif down ~= "open" then
        refuse(txn, 503, '{"type":"about:blank","title":"Service Unavailable","status":503}')
    end
end

core.register_action("weir", { "http-req" }, weir, 1)
