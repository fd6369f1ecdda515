-- The words of raw, if it is a state that fixed-window.lua wrote.
local s, w, used
local fits = type(raw) == 'string' and #raw == 21 and raw:byte(1) == 87
if fits then
  s, w, used = unpack('>I7I6I7', raw, 2)
  fits = w >= 1 and used <= 9007199254740992
end
