-- A request of one check, and no log: nothing to keep in step.
local key, unit, counts_all = KEYS[c], n, f % 16 >= 8
pos, last, raw = behind, c, nil
--@decide
local answer = (ok and 1 or 0) + (bad and 4 or 0)
if f % 2 == 0 then
  if ok and n > 0 then answer = answer + 2 end
  if after then
    if px ~= lifetime then lifetime, text = px, format('%d', px) end
    call('SET', key, after, 'PX', text)
    if times == 1 then raw = after end
  end
end
raw = raw or ''
if times > 1 then
  pieces = pieces + 1
  reply[pieces] = pack('<d', ok and n / unit or 0)
end
reply[pieces + 1], reply[pieces + 2] = pack('<BB', answer, #raw), raw
pieces = pieces + 2
