-- A body sets ok and, where taking or a refusal changes the state, the state after
-- and its lifetime in ms. raw is the state claimed so far, or nil where it is to
-- be read; a body that finds something else under the key says bad, and decides
-- as if there were nothing.
ok, after, px, bad = false, nil, nil, false
if L > 0 then
  if k == 2 then
    --@fixed-window
  elseif k == 3 then
    --@sliding-log
  elseif k == 4 then
    --@sliding-counter
  else
    --@bucket
  end
end
if n == 0 then
  ok, after = true, nil
end
