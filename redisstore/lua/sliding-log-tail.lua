-- The newest entry's stamp, and the header: do they make sense?
local tail = redis.pcall('LRANGE', key, -2, -1)
local newest, head = tail[1], tail[2]
local fits = head and #newest == 12 and #head == 14 and head:byte(1) == 76
local sum, period = 0, W
if fits then
  newest = unpack('>I7', newest)
  sum, period = unpack('>I7I6', head, 2)
  fits = sum <= 4294967296 and period <= 35164800000000
end
