-- Sliding log. A list, oldest first, of entries: stamp in µs (7 bytes), cost (5);
-- and at its tail a header: 'L', sum of all costs (7 bytes), period (6). At 14
-- bytes an entry in the list, against 118 in a sorted set.
if not (log and log.pending) then
  --@sliding-log-tail
  log = { newest = newest, sum = sum, live = sum, left = 0, period = period, pending = 0 }
  -- A log that has expired under its own period is as good as forgotten.
  log.stale = fits and newest + period <= now
  -- How many have left (now−W, now]? A key in use drops about one a call.
  local size = 2
  while fits and not log.stale and size > 0 do
    local chunk = redis.call('LRANGE', key, log.left, log.left + size - 1)
    local gone = 0
    for j = 1, #chunk do
      if #chunk[j] ~= 12 then -- the header, if nothing is left to count
        fits = #chunk[j] == 14 and log.live == 0
        break
      end
      local stamp, used = unpack('>I7I5', chunk[j])
      if stamp > now - W then break end
      log.live = log.live - used
      gone = gone + 1
    end
    fits = fits and log.live >= 0
    log.left = log.left + gone
    size = gone == size and 64 or 0
  end
  if log.stale or not fits then
    log.newest, log.sum, log.live, log.left = nil, 0, 0, 0
  end
  if not fits and (tail.err or newest) then
    log.foreign, bad = true, true
  end
end
if in_parts then
  local room = L - log.live
  --@grant
end
ok = n <= L and log.live + log.pending <= L - n
