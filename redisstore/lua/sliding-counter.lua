-- Sliding counter. State: 'C', start of the current window (7 bytes), period
-- (6), count of the window before (5), of the current one (5).
if raw == nil then raw = redis.pcall('GET', key) end
local start, prev, cur, rewritten = now - now % W, 0, 0, false
if raw then
  --@sliding-counter-fits
  if not fits then
    raw, bad = false, true
  elseif w ~= W then
    -- Another period: what is used by its weight goes to this window, rounded
    -- up.
    local at = now - now % w
    if at > s then
      before, current = at == s + w and current or 0, 0
      s = at
    end
    cur = current + before
    if now > s then
      ma, mb, mc = now - s, before, w
      --@mul-div
      cur = cur - mq
    end
    if cur > 4294967296 then cur = 4294967296 end
    rewritten = cur > 0
  elseif s > start then -- the clock stepped back: this window, counts kept
    prev, cur, rewritten = before, current, true
  elseif s == start then
    prev, cur = before, current
  elseif s + W == start then
    prev = current
  end
end
if in_parts then
  ma, mb, mc = now - start, prev, W
  --@mul-div
  local room = L - cur - prev + mq
  --@grant
end
local room = L - cur - n
if room >= prev then
  ok = true
elseif room >= 0 then
  -- prev·(W−e) ≤ room·W: rounding keeps the order of products that differ, and
  -- where the rounded ones are equal an exact quotient decides.
  local weighed, most = prev * (start + W - now), room * W
  if weighed < most then
    ok = true
  elseif weighed == most then
    ok = weighed < 9007199254740992
    if not ok then
      ma, mb, mc = now - start, prev, W
      --@mul-div
      ok = prev - mq <= room
    end
  end
end
if ok then
  cur = cur + n
  rewritten = true
end
if rewritten then
  after = pack('>BI7I6I5I5', 67, start, W, prev, cur)
  px = ceil((start + (cur > 0 and 2 or 1) * W - now) / 1000) + margin
end
