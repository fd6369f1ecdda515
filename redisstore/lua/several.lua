-- A request of several checks, or of a log.
if not found then
  found, state, ttl, logs = {}, { false, false, false, false }, { 0, 0, 0, 0 }, {}
  cell, flags, bits = { 0, 0, 0, 0 }, { 0, 0, 0, 0 }, { 0, 0, 0, 0 }
end

local first, cells = pos - 17, last
local refused, waiting = false, false
local group_start, group_passes = 1, true
local granted = 0

for i = 1, checks do
  local c, which, f, unit = unpack('<I4I4Bd', argument, first + i * 17)
  if which ~= limit then
    limit, k, L, W, B, l, p = which, unpack('<Bddddd', ARGV[which])
  end
  local key, n = KEYS[c], in_parts and unit or unit * times
  if c > last then last = c end
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

pos = first + (checks + 1) * 17
local untouched = times > 1 and refused and checks > 1 -- as if nobody had asked
if times > 1 then
  pieces = pieces + 1
  reply[pieces] = pack('<d', untouched and 0 or granted)
end
if not untouched then
  for c = cells + 1, last do
    if state[c] then
      px = ttl[c]
      if px ~= lifetime then lifetime, text = px, format('%d', px) end
      call('SET', KEYS[c], state[c], 'PX', text)
    end
    log = logs[c]
    if log then
      --@sliding-log-commit
    end
  end
  for i = 1, checks do
    local c = cell[i]
    log = logs[c]
    if log then
      --@sliding-log-read
    else
      raw = times == 1 and state[c] or found[c] or ''
      reply[pieces + 1], reply[pieces + 2] = pack('<BB', bits[i], #raw), raw
      pieces = pieces + 2
    end
  end
end
