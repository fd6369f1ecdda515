-- What every script begins with: the instant, and short names.

local values = unpack -- of a list, before the name is taken
local unpack, pack, floor, ceil = struct.unpack, struct.pack, math.floor, math.ceil

local now, margin = unpack('<dd', ARGV[1])
if now < 0 then
  local t = redis.call('TIME')
  now = t[1] * 1000000 + t[2]
end
local mq, mr, ma, mb, mc -- of mul-div.lua
