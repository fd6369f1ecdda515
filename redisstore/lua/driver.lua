-- One call decides one request after the other, all at one instant. It decides all
-- checks of a request, and only then writes: errors inside a script are not rolled
-- back, so nothing that can fail comes between two writes of a request.
--
-- KEYS     the distinct keys of the first request, one cell each, then those of the
--          second, and so on; within a request only independent checks may share one
-- ARGV[1]  doubles: now in µs (below 0: the server's clock), margin in ms; then for
--          each request: long number of checks, double times, and for each of its
--          checks: long cell and limit (from 1, and 2), byte flags, double cost
-- ARGV[2…] the distinct limits: byte kind, doubles count, period, capacity, num,
--          den. The text belongs to the limit and is never built anew.
--
-- The reply is one string: double now, then for each request for each check byte
-- bits and what describes its key: for a log doubles remaining, wait, reset;
-- otherwise byte length and the state that the request left, from which weir
-- derives the rest.
--
-- times > 1 is as many callers who ask the same at once. Of one check as many takes
-- are granted as fit; of several checks, which then are one group, all or none, and
-- none leaves no trace. Before its checks the reply says how many, as a double, and
-- the states are those before: weir takes the one after the other from them, as if
-- each had come alone.
--
-- The bodies of the algorithms are spliced in as branches: a branch costs next to
-- nothing, a local function made at each call 0.7 to 0.9 µs, and so does a table.
-- A number is never turned into text by itself: tostring(1699999200123456) is
-- 1.6999992001235e+15. A lifetime is below 2^53, and %d gives it exactly; left to
-- redis.call a number costs 0.2 µs more.

--@arithmetic
local call, format = redis.call, string.format
local ok, after, px, bad, raw, log -- of decide.lua
local argument, pos = ARGV[1], 17
local limit, k, L, W, B, l, p -- which one the numbers are of
local times, checks, in_parts
local last = 0 -- the last cell of the requests before
-- A lifetime in ms and its text, of the key before: most are the same where keys are
-- new or windows end together, and without format a check takes a twentieth less.
local lifetime, text

-- The reply in pieces: texts that grow are copied and collected, 1 µs a request
-- where there are 32.
local reply, pieces = { pack('<d', now) }, 1

-- Of requests of several checks, by cell: the text found (false for none), the state
-- and lifetime claimed, and for logs a table. By check: cell, flags, bits of the
-- answer.
local found, state, ttl, logs, cell, flags, bits

repeat
  checks, times, pos = unpack('<I4d', argument, pos)
  in_parts = times > 1 and checks == 1
  local c, which, f, n, behind = unpack('<I4I4Bd', argument, pos)
  if which ~= limit then
    limit, k, L, W, B, l, p = which, unpack('<Bddddd', ARGV[which])
  end
  if checks == 1 and k ~= 3 then
    --@single
  else
    --@several
  end
until pos > #argument
return table.concat(reply)
