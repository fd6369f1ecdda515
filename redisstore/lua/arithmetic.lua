-- What every script begins with: the instant, and exact arithmetic on doubles.

local values = unpack -- of a list, before the name is taken
local unpack, pack, floor, ceil = struct.unpack, struct.pack, math.floor, math.ceil

local now, margin = unpack('<dd', ARGV[1])
if now < 0 then
  local t = redis.call('TIME')
  now = t[1] * 1000000 + t[2]
end

-- mul_div is floor(a·b/c) and the remainder, for 0 ≤ a ≤ c < 2^45 and b < 2^53.
-- Past 2^53 it is a long division over 7-bit digits of b, so that no
-- intermediate is rounded.
local function mul_div(a, b, c)
  local x = a * b
  if x < 9007199254740992 then
    local r = x % c
    return (x - r) / c, r
  end
  local q, r, unit = 0, 0, 562949953421312 -- 2^49
  while unit >= 1 do
    local digit = floor(b / unit)
    b = b - digit * unit
    local y = r * 128 + a * digit
    r = y % c
    q = q * 128 + (y - r) / c
    unit = unit / 128
  end
  return q, r
end
