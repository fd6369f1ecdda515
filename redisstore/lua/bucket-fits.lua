-- The words of raw, if it is a state that bucket.lua wrote. What is not would be
-- reckoned with inexactly, or overflow where weir reads it.
local tag, at, q0, r0, num, den
local fits = raw and #raw == 32 -- an error of GET is a table
if fits then
  tag, at, q0, r0, num, den = unpack('>BI7I6I6I6I6', raw)
  fits = tag == 66 and at < 9007199254740992 and q0 <= 2199023255552 and r0 < den
    and num >= 1 and num <= 1099511627776 and den <= 35164800000000
    and (q0 * den + r0) / num < 18014398509481984
end
