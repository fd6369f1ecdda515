-- mq, mr = floor(ma·mb/mc) and the remainder, for 0 ≤ ma ≤ mc < 2^45 and mb < 2^53.
-- Past 2^53 it is a long division over 7-bit digits of mb, so that no
-- intermediate is rounded. It is spliced in where it is needed: a function would
-- have to be made at each call, for what is rarely called.
if ma * mb < 9007199254740992 then
  mr = ma * mb % mc
  mq = (ma * mb - mr) / mc
else
  local unit, digit, y = 562949953421312 -- 2^49
  mq, mr = 0, 0
  while unit >= 1 do
    digit = floor(mb / unit)
    mb = mb - digit * unit
    y = mr * 128 + ma * digit
    mr = y % mc
    mq = mq * 128 + (y - mr) / mc
    unit = unit / 128
  end
end
