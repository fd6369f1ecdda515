local _, which, _, n = unpack('<I4I4Bd', argument, first + i * 17)
local _, L, W = unpack('<Bdd', ARGV[which])
local remaining, wait, reset = 0, -1, 0
if L > 0 then
  remaining, wait = L - log.live, 0
  if remaining < 0 then remaining = 0 end
  if log.live > 0 then
    reset = W
    if log.newest < now then reset = log.newest + W - now end
  end
  if n < 1 then n = 1 end
  if n > L then
    wait = -1
  elseif n > remaining then
    -- From the oldest, until enough have left.
    local need, at = log.live + n - L, log.left
    repeat
      local chunk = redis.call('LRANGE', KEYS[c], at, at + 63)
      for j = 1, #chunk do
        if need <= 0 or #chunk[j] ~= 12 then break end
        local stamp, used = unpack('>I7I5', chunk[j])
        need = need - used
        wait = W
        if stamp < now then wait = stamp + W - now end
      end
      at = at + 64
    until need <= 0 or #chunk < 64
  end
end
pieces = pieces + 1
reply[pieces] = pack('<Bddd', bits[i], remaining, wait, reset)
