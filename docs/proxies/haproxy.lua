-- weir in HAProxy: `http-request lua.weir open` asks weir and refuses with its
-- answer, `http-response lua.weir_fields` puts the rate-limit fields on the rest.

local check = "http://127.0.0.1:8079/check" -- the listener weir_local in haproxy.cfg
local backstop = 5000                       -- milliseconds; weir_local answers long before, see its timeouts

-- Of the client's own fields these are not passed on to weir: those that belong to
-- its connection or body, and those that weir believes HAProxy.
local withheld = {
    ["connection"] = true, ["keep-alive"] = true, ["te"] = true, ["trailer"] = true, ["upgrade"] = true,
    ["transfer-encoding"] = true, ["content-length"] = true, ["expect"] = true, ["host"] = true,
    ["x-real-ip"] = true, ["x-original-method"] = true, ["x-original-uri"] = true, ["x-original-host"] = true,
}

-- These are of weir's answer what the client gets on any answer.
local fields = {
    "weir-decision", "weir-degraded", "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset",
    "ratelimit", "ratelimit-policy",
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
    headers["x-real-ip"] = { txn.sf:src() }
    headers["x-original-method"] = { txn.sf:method() }
    headers["x-original-uri"] = { txn.sf:pathq() }
    headers["x-original-host"] = { txn.sf:req_hdr("host") }
    return headers
end

local function refuse(txn, status, headers, body)
    local reply = txn:reply({ status = status, body = body })
    for _, name in ipairs(fields) do
        for _, value in pairs(headers[name] or {}) do
            reply:add_header(name, value)
        end
    end
    for _, name in ipairs({ "retry-after", "content-type", "cache-control" }) do
        for _, value in pairs(headers[name] or {}) do
            reply:add_header(name, value)
        end
    end
    txn:done(reply)
end

local function weir(txn, down)
    local answer = core.httpclient():get({ url = check, headers = question(txn), timeout = backstop })
    local headers = answer.headers or {}
    if answer.status == 200 then
        txn:set_priv(headers)
    elseif headers["content-type"] and headers["content-type"][0] == "application/problem+json" then
        refuse(txn, answer.status, headers, answer.body) -- it is weir that says no
    elseif down ~= "open" then
        refuse(txn, 503, {
            ["content-type"] = { "application/problem+json" }, ["cache-control"] = { "no-store" },
        }, '{"type":"about:blank","title":"Service Unavailable","status":503}')
    end
end

local function weir_fields(txn)
    local headers = txn:get_priv()
    if not headers then
        return
    end
    for _, name in ipairs(fields) do
        for _, value in pairs(headers[name] or {}) do
            txn.http:res_set_header(name, value)
        end
    end
end

core.register_action("weir", { "http-req" }, weir, 1)
core.register_action("weir_fields", { "http-res" }, weir_fields)
