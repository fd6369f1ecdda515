-- The words of raw, if it is a state that sliding-counter.lua wrote.
local s, w, before, current
local fits = type(raw) == 'string' and #raw == 24 and raw:byte(1) == 67
if fits then
  s, w, before, current = unpack('>I7I6I5I5', raw, 2)
  fits = w >= 1 and w <= 35164800000000 and s % w == 0 and before <= 4294967296 and current <= 4294967296
end
