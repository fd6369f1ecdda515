-- One call decides all checks of a request at one instant: read every key once,
-- decide, and only then write. Errors inside a script are not rolled back, so
-- nothing that can fail comes after the first write.
--
-- KEYS     the request's distinct keys, one cell each; only independent checks
--          may share one
-- ARGV[1]  doubles: now in µs (below 0: the server's clock), margin in ms; then
--          for each check: long cell (from 1), byte flags, double cost
-- ARGV[2…] for each check its limit: byte kind, doubles count, period, capacity,
--          num, den. The text belongs to the limit and is never built anew.
--
-- The reply is one string: double now, then for each check byte bits and what
-- describes its key: for a log doubles remaining, wait, reset; otherwise byte
-- length and the state as it is now, from which weir derives the rest.
--
-- The bodies of the algorithms are spliced in as branches: a local function made
-- at each call costs 0.7 to 0.9 µs, a branch next to nothing. A number is never
-- turned into text here: tostring(1699999200123456) is 1.6999992001235e+15.

--@arithmetic

-- By cell: the text found (false for none), the state and lifetime claimed so
-- far, whether what was found has to be thrown away, and for logs a table.
local found, state, ttl, replaced, logs = {}, {}, {}, {}, {}
-- By check. A fate is 0 untouched, 1 settled (refused: only what a refusal may
-- change), 2 taken.
local cell, flags, cost, kind, fate, allowed = {}, {}, {}, {}, {}, {}

local checks = #ARGV - 1
local refused, waiting = false, false
local group_start, group_passes = 1, true

for i = 1, checks do
  local c, f, n = unpack('<I4Bd', ARGV[1], 4 + i * 13)
  local key = KEYS[c]
  local k, L, W, B, l, p = unpack('<Bddddd', ARGV[i + 1])
  cell[i], flags[i], cost[i], kind[i] = c, f, n, k
  local shadow, starts, counts_all, ends = f % 4 >= 2, f % 8 >= 4, f % 16 >= 8, f >= 64
  local charging = floor(f / 16) % 4 -- 0 arriving, 1 admitted, 2 independent
  if starts then
    group_start, group_passes = i, true
  end
  -- After a refusal the groups that follow are asked, not charged.
  local take = f % 2 == 0 and (charging == 2 or not refused)

  -- A body sets ok, and the state and its lifetime in ms where taking or a
  -- refusal changes it.
  local ok, after, px = false, nil, nil
  if L > 0 then
    if k == 2 then
      --@fixed-window
    elseif k == 3 then
      --@sliding-log
    elseif k == 4 then
      --@sliding-counter
    else
      --@bucket
    end
  end
  if n == 0 then
    ok, after = true, nil
  end

  allowed[i], fate[i] = ok, 0
  if take then
    fate[i] = ok and 2 or 1
    if k == 3 and ok and L > 0 then
      logs[c].pending = logs[c].pending + n
    elseif after then
      state[c], ttl[c] = after, px
    end
  end

  if charging == 2 then
    refused = refused or not ok and not shadow
  else
    group_passes = group_passes and ok
    if ends and not refused then
      if group_passes then
        waiting = waiting or charging == 1
      else
        refused = not shadow
        -- All or none: who passes in a group that fails is left as found, but
        -- for what counts all. No other check has claimed from its key.
        for j = group_start, i do
          if fate[j] == 2 and flags[j] % 16 < 8 then
            fate[j], state[cell[j]] = 0, nil
          end
        end
      end
    end
  end
end
if refused and waiting then
  -- Groups that are charged only if every group admits.
  for j = 1, checks do
    if floor(flags[j] / 16) % 4 == 1 and fate[j] == 2 and flags[j] % 16 < 8 then
      fate[j], state[cell[j]] = 0, nil
    end
  end
end

for c = 1, #KEYS do
  if state[c] then
    redis.call('SET', KEYS[c], state[c], 'PX', ttl[c])
  end
end
--@sliding-log-commit

local reply = pack('<d', now)
for i = 1, checks do
  local c, n = cell[i], cost[i]
  local bits = (allowed[i] and 1 or 0) + (fate[i] == 2 and n > 0 and 2 or 0) + (replaced[c] and 4 or 0)
  if kind[i] == 3 then
    --@sliding-log-read
  else
    local raw = state[c] or found[c] or ''
    reply = reply .. pack('<BB', bits, #raw) .. raw
  end
end
return reply
