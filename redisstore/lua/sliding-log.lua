-- Sliding log. A list, oldest first, of entries: stamp in µs (7 bytes), cost (5);
-- and at its tail a header: 'L', sum of all costs (7 bytes), period (6). At 12
-- bytes an entry, against some 118 in a sorted set.
local log = logs[c]
if not log then
  log = { sum = 0, live = 0, left = 0, period = W, pending = 0 }
  logs[c] = log
  local tail = redis.pcall('LRANGE', key, -2, -1)
  local newest, head = tail[1], tail[2]
  local fits = head and #newest == 12 and #head == 14 and head:byte(1) == 76
  if fits then
    log.newest = unpack('>I7', newest)
    log.sum, log.period = unpack('>I7I6', head, 2)
    log.live = log.sum
    fits = log.sum <= 4294967296 and log.period <= 35164800000000
    -- A log that has expired under its own period is as good as forgotten.
    log.stale = fits and log.newest + log.period <= now
  end
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
    replaced[c] = true
  end
end
ok = n <= L and log.live + log.pending <= L - n
