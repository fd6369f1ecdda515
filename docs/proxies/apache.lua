-- weir in Apache: asks weir before a request is served, and refuses with its answer.

-- Debian: lua-socket. Where it is missing the file loads all the same: a file that
-- does not load is an error for every request.
local there, socket = pcall(require, "socket")

local host, port = "127.0.0.1", 8080
local within = 0.2 -- seconds that a check may take
local open = true  -- with false, requests get 503 while weir does not answer

-- Of the client's own fields these are not passed on to weir: those that belong to
-- its connection or body, and those that weir believes Apache.
local withheld = {
    ["connection"] = true, ["keep-alive"] = true, ["te"] = true, ["trailer"] = true, ["upgrade"] = true,
    ["transfer-encoding"] = true, ["content-length"] = true, ["expect"] = true, ["host"] = true,
    ["x-real-ip"] = true, ["x-original-method"] = true, ["x-original-uri"] = true, ["x-original-host"] = true,
}

-- These are of weir's answer what the client gets on any answer.
local fields = {
    "Weir-Decision", "Weir-Degraded", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset",
    "RateLimit", "RateLimit-Policy",
}

local connection -- this thread's, kept for the next request

-- limit has calls on a connection fail at the deadline.
local function limit(c, deadline)
    local left = math.max(0, deadline - socket.gettime())
    c:settimeout(left)
    c:settimeout(left, "t")
end

-- connect gives the connection that is there, or a new one where weir has ended it.
local function connect(deadline)
    if connection then
        limit(connection, 0)
        local _, why = connection:receive(1)
        if why == "timeout" then
            return connection
        end
        connection:close()
        connection = nil
    end
    local fresh = socket.tcp()
    limit(fresh, deadline)
    local ok, why = fresh:connect(host, port)
    if not ok then
        fresh:close()
        error(why, 0)
    end
    fresh:setoption("tcp-nodelay", true)
    connection = fresh
    return fresh
end

local function question(r)
    -- HTTP/1.0, so that the answer's body has a length or ends with the connection.
    local lines = {
        "GET /check HTTP/1.0", "Host: weir", "Connection: keep-alive",
        "X-Real-IP: " .. r.useragent_ip,
        "X-Original-Method: " .. r.method,
        "X-Original-URI: " .. r.unparsed_uri,
        "X-Original-Host: " .. (r.hostname or ""),
    }
    for name, value in pairs(r:headers_in_table()) do
        if not withheld[name:lower()] then
            lines[#lines + 1] = name .. ": " .. value
        end
    end
    return table.concat(lines, "\r\n") .. "\r\n\r\n"
end

local function read(c, deadline)
    local function receive(what)
        limit(c, deadline)
        local got, why = c:receive(what)
        return got or error(why, 0)
    end
    local answer = { status = tonumber(receive("*l"):match("^HTTP/1%.%d (%d+)")), headers = {} }
    for line in function() return receive("*l") end do
        if line == "" then
            break
        end
        local name, value = line:match("^([^:]+):%s*(.*)$")
        answer.headers[name:lower()] = value
    end
    local length = tonumber(answer.headers["content-length"])
    answer.body = length == 0 and "" or receive(length or "*a") -- receive(0) would wait for a byte
    answer.keep = length and (answer.headers["connection"] or ""):lower() == "keep-alive"
    return answer
end

local function ask(r)
    if not there then
        error(socket, 0)
    end
    local deadline = socket.gettime() + within
    local c = connect(deadline)
    limit(c, deadline)
    local sent, why = c:send(question(r))
    if not sent then
        error(why, 0)
    end
    return read(c, deadline)
end

-- drop ends the connection, on which more of an answer may be on its way.
local function drop()
    if connection then
        connection:close()
        connection = nil
    end
end

local function refuse(r, status, body)
    r.status = status
    r.content_type = "application/problem+json"
    r.err_headers_out["Cache-Control"] = "no-store"
    r.err_headers_out["Content-Length"] = tostring(#body)
    r:puts(body)
    r:flush() -- now, and not when the request's body is there
    return apache2.DONE
end

function check(r)
    if not r.is_initial_req then
        return apache2.DECLINED -- what Apache asks itself is not the client's
    end
    local ok, answer = pcall(ask, r)
    if not ok or not answer.keep then
        drop()
    end
    if not ok then
        r:warn("weir does not answer: " .. tostring(answer))
        if open then
            return apache2.DECLINED
        end
        return refuse(r, 503, '{"type":"about:blank","title":"Service Unavailable","status":503}')
    end
    for _, name in ipairs(fields) do
        r.err_headers_out[name] = answer.headers[name:lower()]
    end
    if answer.status == 200 then
        return apache2.DECLINED
    end
    r.err_headers_out["Retry-After"] = answer.headers["retry-after"]
    return refuse(r, answer.status, answer.body)
end
