-- Is raw a state that bucket.lua wrote? What is not would be reckoned with
-- inexactly, or overflow where weir reads it.
local fits = type(raw) == 'string' and #raw == 32 and raw:byte(1) == 66
if fits then
  local at, q, r, num, den = unpack('>I7I6I6I6I6', raw, 2)
  fits = at < 9007199254740992 and q <= 2199023255552 and r < den
    and num >= 1 and num <= 1099511627776 and den <= 35164800000000
    and (q * den + r) / num < 18014398509481984
end
