-- Gives back what is left of one charge, and says 1 if it gave anything. A charge
-- that was given back before is known by its marker, in the same slot.
--
-- KEYS     the state; the marker, where the refund is to happen once only
-- ARGV[1]  doubles: now in µs (below 0: the server's clock), margin in ms
-- ARGV[2]  the limit of the charge, as for the driver
-- ARGV[3]  doubles: cost, at in µs, whole and frac of the level before, lifetime
--          of the marker in ms

--@arithmetic

local key = KEYS[1]
local kind, L, W, B, l, p = unpack('<Bddddd', ARGV[2])
local n, charged_at, whole0, frac0, lifetime = unpack('<ddddd', ARGV[3])
if L == 0 or n < 1 or n > B then return 0 end
if KEYS[2] and redis.call('EXISTS', KEYS[2]) == 1 then return 0 end

-- The state that is left, where it is one string, and the instant it ends at.
local after, ends

if kind == 3 then
  --@sliding-log-tail
  if not fits or charged_at + period <= now or n > sum or redis.call('LREM', key, -1, pack('>I7I5', charged_at, n)) == 0 then
    return 0
  end
  newest = redis.call('LRANGE', key, -2, -2)[1]
  if newest and #newest == 12 then
    redis.call('LSET', key, -1, pack('>BI7I6', 76, sum - n, period))
    ends = unpack('>I7', newest) + period
    redis.call('PEXPIRE', key, ceil(math.max(0, ends - now) / 1000) + margin)
  else
    redis.call('DEL', key)
  end
else
  local raw = redis.pcall('GET', key)

  if kind == 2 then
    --@fixed-window-fits
    if not fits then return 0 end
    if w ~= W or s ~= charged_at - charged_at % W or s + W <= now or used == 0 then return 0 end
    after, ends = pack('>BI7I6I7', 87, s, W, math.max(0, used - n)), s + W

  elseif kind == 4 then
    --@sliding-counter-fits
    if not fits then return 0 end
    local charged = charged_at - charged_at % W
    if w ~= W or now >= charged + 2 * W then return 0 end
    if charged == s and current > 0 then
      current = math.max(0, current - n)
    elseif charged == s - W and before > 0 then
      before = math.max(0, before - n)
    else
      return 0
    end
    after, ends = pack('>BI7I6I5I5', 67, s, W, before, current), s + (current > 0 and 2 or 1) * W

  else
    --@bucket-fits
    if not fits or whole0 < 0 or whole0 > B - n or frac0 < 0 or frac0 >= p then return 0 end
    local last, whole, frac = at, q0, r0
    local seen = math.max(now, last)
    local function mul_div(a, b, c)
      ma, mb, mc = a, b, c
      --@mul-div
      return mq, mr
    end
    -- leaked is the level less what leaks in d at num/den.
    local function leaked(w, f, num, den, d)
      if d * num / den >= w + 2 then return 0, 0 end
      local nr = num % den
      local q, r = mul_div(nr, d, den)
      w, f = w - q - d * ((num - nr) / den), f - r
      if f < 0 then w, f = w - 1, f + den end
      if w < 0 then return 0, 0 end
      return w, f
    end
    local w, f = leaked(whole, frac, num, den, seen - last)
    if w == 0 and f == 0 then return 0 end
    -- What is left of the charge: n, less what leaked since beyond the level
    -- before. Of two rates the faster one counts, and fractions are rounded down:
    -- never too much is given back.
    local since = math.max(0, seen - charged_at)
    local gw, gf = leaked(whole0 + n, frac0, l, p, since)
    if num ~= l or den ~= p then
      local f1 = mul_div(frac0, den, p)
      local ow, of = leaked(whole0 + n, f1, num, den, since)
      gf = mul_div(gf, den, p)
      if ow < gw or ow == gw and of < gf then gw, gf = ow, of end
    end
    if gw >= n then gw, gf = n, 0 end
    if gw == 0 and gf == 0 then return 0 end
    -- The instant of the level stays: what a lowered burst or another rate makes
    -- of the time since is for the next take to say.
    whole, frac = whole - gw, frac - gf
    if frac < 0 then whole, frac = whole - 1, frac + den end
    if whole < 0 then whole, frac = 0, 0 end
    after, ends = pack('>BI7I6I6I6I6', 66, last, whole, frac, num, den), last + (whole * den + frac) / num
  end
  redis.call('SET', key, after, 'PX', ceil(math.max(0, ends - now) / 1000) + margin)
end
if KEYS[2] then redis.call('SET', KEYS[2], '', 'PX', lifetime) end
return 1
