-- Logs are written last, in the order of the checks.
for i = 1, checks do
  local log = kind[i] == 3 and logs[cell[i]]
  if log and cost[i] > 0 and fate[i] > 0 then
    local _, _, W = unpack('<Bdd', ARGV[i + 1])
    log.period_now = W
    if fate[i] == 2 then
      log.taken = log.taken or {}
      log.taken[#log.taken + 1] = pack('>I7I5', now, cost[i])
      log.added = (log.added or 0) + cost[i]
    end
  end
end
for c, log in pairs(logs) do
  local key, W = KEYS[c], log.period_now
  -- Entries from the future come to now.
  if W and log.newest and log.newest > now then
    local at = -2
    local entry = redis.call('LINDEX', key, at)
    while entry and #entry == 12 do
      local stamp, used = unpack('>I7I5', entry)
      if stamp <= now then break end
      redis.call('LSET', key, at, pack('>I7I5', now, used))
      at = at - 1
      entry = redis.call('LINDEX', key, at)
    end
    log.moved, log.newest = true, now
  end
  if log.taken then
    if replaced[c] or log.stale then redis.call('DEL', key) end
    if log.newest then
      if log.left > 0 then redis.call('LTRIM', key, log.left, -1) end
      redis.call('RPOP', key)
    end
    log.live, log.left, log.newest = log.live + log.added, 0, now
    log.taken[#log.taken + 1] = pack('>BI7I6', 76, log.live, W)
    redis.call('RPUSH', key, values(log.taken))
    redis.call('PEXPIRE', key, ceil(W / 1000) + margin)
  elseif W and log.newest and (log.moved or log.period ~= W) then
    redis.call('LSET', key, -1, pack('>BI7I6', 76, log.sum, W))
    redis.call('PEXPIRE', key, ceil(math.max(0, log.newest + W - now) / 1000) + margin)
  end
end
