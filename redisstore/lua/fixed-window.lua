-- Fixed window. State: 'W', start of the window (7 bytes), period (6), count (7).
if raw == nil then raw = redis.pcall('GET', key) end
local start, count, rewritten = now - now % W, 0, false
if raw then
  --@fixed-window-fits
  if not fits then
    raw, bad = false, true
  -- A later start keeps its count: the clock stepped back, or a shorter window
  -- within this one is counting. One that has ended is as good as forgotten.
  elseif s >= start and s + w > now then
    count, rewritten = used, s > start or w ~= W
  end
end
local all = n * times
if in_parts then
  local room = L - count
  --@grant
end
ok = n <= L - count
if ok or counts_all then
  count = count + (counts_all and all or n)
  if count > 9007199254740992 then count = 9007199254740992 end
  rewritten = true
end
if rewritten then
  after = pack('>BI7I6I7', 87, start, W, count)
  px = ceil((start + W - now) / 1000) + margin
end
