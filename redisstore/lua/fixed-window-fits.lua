-- Is raw a state that fixed-window.lua wrote?
local fits = type(raw) == 'string' and #raw == 21 and raw:byte(1) == 87
if fits then
  local _, w, used = unpack('>I7I6I7', raw, 2)
  fits = w >= 1 and used <= 9007199254740992
end
