-- One call decides all checks of a request at one instant: read every key once,
-- decide, and only then write. Errors inside a script are not rolled back, so
-- nothing that can fail comes after the first write.
--
-- KEYS     the request's distinct keys, one cell each; only independent checks
--          may share one
-- ARGV[1]  doubles: now in µs (below 0: the server's clock), margin in ms, times;
--          then for each check: long cell (from 1), byte flags, double cost
-- ARGV[2…] for each check its limit: byte kind, doubles count, period, capacity,
--          num, den. The text belongs to the limit and is never built anew.
--
-- The reply is one string: double now, then for each check byte bits and what
-- describes its key: for a log doubles remaining, wait, reset; otherwise byte
-- length and the state as it is now, from which weir derives the rest.
--
-- times > 1 is as many callers who ask the same at once. Of one check as many takes
-- are granted as fit; of several checks, which then are one group, all or none, and
-- none leaves no trace. After now the reply says how many, as a double, and the
-- states are those before: weir takes the one after the other from them, as if each
-- had come alone.
--
-- The bodies of the algorithms are spliced in as branches: a branch costs next to
-- nothing, a local function made at each call 0.7 to 0.9 µs, and so does a table.
-- A number is never turned into text: tostring(1699999200123456) is
-- 1.6999992001235e+15.

--@arithmetic
local ok, after, px, bad, raw, log -- of decide.lua
local checks = #ARGV - 1
local times, _, f, n = unpack('<dI4Bd', ARGV[1], 17)
local in_parts = times > 1 and checks == 1

if checks == 1 and ARGV[2]:byte(1) ~= 3 then
  -- One check, and no log: nothing to keep in step.
  local key, k, L, W, B, l, p = KEYS[1], unpack('<Bddddd', ARGV[2])
  local unit, counts_all = n, f % 16 >= 8
  --@decide
  local bits = (ok and 1 or 0) + (bad and 4 or 0)
  if f % 2 == 0 then
    if ok and n > 0 then bits = bits + 2 end
    if after then
      redis.call('SET', key, after, 'PX', px)
      if times == 1 then raw = after end
    end
  end
  raw = raw or ''
  if times > 1 then
    return pack('<ddBB', now, ok and n / unit or 0, bits, #raw) .. raw
  end
  return pack('<dBB', now, bits, #raw) .. raw
end

-- By cell: the text found (false for none), the state and lifetime claimed, and
-- for logs a table.
local found, state, ttl, logs = {}, { false, false, false, false }, { 0, 0, 0, 0 }, {}
-- By check: bits are the answer's.
local cell, flags, bits = { 0, 0, 0, 0 }, { 0, 0, 0, 0 }, { 0, 0, 0, 0 }

local refused, waiting = false, false
local group_start, group_passes = 1, true
local granted = 0

for i = 1, checks do
  local c, f, unit = unpack('<I4Bd', ARGV[1], 12 + i * 13)
  local n = in_parts and unit or unit * times
  local key, k, L, W, B, l, p = KEYS[c], unpack('<Bddddd', ARGV[i + 1])
  local shadow, starts, counts_all, ends = f % 4 >= 2, f % 8 >= 4, f % 16 >= 8, f >= 64
  local charging = floor(f / 16) % 4 -- 0 arriving, 1 admitted, 2 independent
  if starts then
    group_start, group_passes = i, true
  end
  -- After a refusal the groups that follow are asked, not charged.
  local take = f % 2 == 0 and (charging == 2 or not refused)

  raw, log = state[c] or found[c], logs[c]
  --@decide
  if L > 0 and found[c] == nil then found[c] = raw or false end
  cell[i], flags[i] = c, f
  bits[i] = (ok and 1 or 0) + (bad and 4 or 0)
  if k == 3 then
    logs[c] = log or { live = 0 } -- of a blocked limit nothing was read
  end
  if take then
    if ok and n > 0 then bits[i] = bits[i] + 2 end
    if k == 3 and L > 0 and n > 0 then
      log.settled = W -- at least: see sliding-log-commit.lua
      if ok then
        log.pending = log.pending + n
        log.entries = log.entries or {}
        for _ = 1, n / unit do
          log.entries[#log.entries + 1] = pack('>I7I5', now, unit)
        end
      end
    elseif after then
      state[c], ttl[c] = after, px
    end
  end

  if ok then granted = n / unit end

  -- Whom to leave uncharged: all or none of a group that fails, and in the end
  -- the groups that are charged only if every group admits.
  local from, to = 1, 0
  if charging == 2 then
    refused = refused or not ok and not shadow
  else
    group_passes = group_passes and ok
    if ends and not refused then
      if group_passes then
        waiting = waiting or charging == 1
      else
        refused, from, to = not shadow, group_start, i
      end
    end
  end
  if i == checks and refused and waiting then
    from, to = 1, checks
  end
  for j = from, to do
    local whose = floor(flags[j] / 16) % 4
    -- What counts all stays counted; no other check has claimed from its key.
    if bits[j] % 4 >= 2 and flags[j] % 16 < 8 and whose ~= 2 and (whose == 1 or j >= group_start) then
      bits[j], state[cell[j]], log = bits[j] - 2, false, logs[cell[j]]
      if log then
        log.pending, log.entries, log.settled = 0, nil, nil
      end
    end
  end
end

if times > 1 and refused and checks > 1 then
  return pack('<dd', now, 0) -- as if nobody had asked
end
for c = 1, #KEYS do
  if state[c] then
    redis.call('SET', KEYS[c], state[c], 'PX', ttl[c])
  end
  log = logs[c]
  if log then
    --@sliding-log-commit
  end
end

local begun, reply = '', pack('<d', now)
if times > 1 then
  reply = pack('<dd', now, granted)
end
for i = 1, checks do
  local c = cell[i]
  log = logs[c]
  if log then
    --@sliding-log-read
  else
    raw = times == 1 and state[c] or found[c] or ''
    reply = reply .. pack('<BB', bits[i], #raw) .. raw
  end
  -- A text grows by a copy: a long pipeline's would cost the square of its length.
  if i % 64 == 0 then begun, reply = begun .. reply, '' end
end
return begun .. reply
