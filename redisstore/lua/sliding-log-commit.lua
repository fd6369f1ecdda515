-- What a request did to a log: settled is the period if it was charged or refused,
-- entries are what was charged.
local key, W = KEYS[c], log.settled
if W and log.newest and log.newest > now then
  -- Entries from the future come to now.
  local at = -2
  local entry = call('LINDEX', key, at)
  while entry and #entry == 12 do
    local stamp, used = unpack('>I7I5', entry)
    if stamp <= now then break end
    call('LSET', key, at, pack('>I7I5', now, used))
    at = at - 1
    entry = call('LINDEX', key, at)
  end
  log.moved, log.newest = true, now
end
if log.entries then
  if log.foreign or log.stale then call('DEL', key) end
  if log.newest then
    if log.left > 0 then call('LTRIM', key, log.left, -1) end
    call('RPOP', key)
  end
  log.live, log.left, log.newest = log.live + log.pending, 0, now
  log.entries[#log.entries + 1] = pack('>BI7I6', 76, log.live, W)
  call('RPUSH', key, values(log.entries))
  call('PEXPIRE', key, ceil(W / 1000) + margin)
elseif W and log.newest and (log.moved or log.period ~= W) then
  call('LSET', key, -1, pack('>BI7I6', 76, log.sum, W))
  call('PEXPIRE', key, ceil(math.max(0, log.newest + W - now) / 1000) + margin)
end
