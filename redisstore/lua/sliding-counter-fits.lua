-- The words of raw, if it is a state that sliding-counter.lua wrote.
local tag, s, w, before, current
local fits = raw and #raw == 24 -- an error of GET is a table
if fits then
  tag, s, w, before, current = unpack('>BI7I6I5I5', raw)
  fits = tag == 67 and w >= 1 and w <= 35164800000000 and s % w == 0 and before <= 4294967296 and current <= 4294967296
end
