-- The words of raw, if it is a state that bucket.lua wrote. What is not would be
-- reckoned with inexactly, or overflow where weir reads it.
local at, q0, r0, num, den
local fits = type(raw) == 'string' and #raw == 32 and raw:byte(1) == 66
if fits then
  at, q0, r0, num, den = unpack('>I7I6I6I6I6', raw, 2)
  fits = at < 9007199254740992 and q0 <= 2199023255552 and r0 < den
    and num >= 1 and num <= 1099511627776 and den <= 35164800000000
    and (q0 * den + r0) / num < 18014398509481984
end
