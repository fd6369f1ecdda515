-- The words of raw, if it is a state that fixed-window.lua wrote.
local tag, s, w, used
local fits = raw and #raw == 21 -- an error of GET is a table
if fits then
  tag, s, w, used = unpack('>BI7I6I7', raw)
  fits = tag == 87 and w >= 1 and used <= 9007199254740992
end
