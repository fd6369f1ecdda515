-- Token bucket and GCRA, which share one state: 'B', instant of the level (7
-- bytes), whole requests (6), fraction in 1/den (6), num (6), den (6) of the
-- rate it was moved under.
if raw == nil then raw = redis.pcall('GET', key) end
-- The level as it is kept: on a refusal it stays so, unless it was rewritten. And
-- the level at now.
local last, whole, frac, rewritten = now, 0, 0, false
local level, part = 0, 0
if raw then
  --@bucket-fits
  raw, bad = fits and raw, not fits
  if fits then
    last, whole, frac = at, q0, r0
    if num ~= l or den ~= p then
      -- Another rate. What had drained under its own is as good as forgotten;
      -- otherwise the level stays in requests, its fraction rounded up.
      local d, gone, rest = now - last, -1, 0
      if d >= 0 then
        if d * num / den >= whole + 2 then
          gone = whole + 1
        else
          ma, mb, mc = num % den, d, den
          --@mul-div
          gone, rest = mq + d * ((num - num % den) / den), mr
        end
      end
      if gone > whole or gone == whole and rest >= frac then
        last, whole, frac = now, 0, 0
      else
        rewritten = true
        if den ~= p then
          ma, mb, mc = frac, p, den
          --@mul-div
          frac = mr > 0 and mq + 1 or mq
          if frac == p then
            whole, frac = whole + 1, 0
          end
        end
      end
    end
    if whole >= B then
      whole, frac = B, 0
    end
    level, part = whole, frac
    if last ~= now then
      -- q + r/p is what flows in between, unless that is more than any level: of
      -- that a double is sure.
      local d, q, r = now - last, B + 2, 0
      if d < 0 then d = -d end
      if d * l / p < q then
        if d * l < 9007199254740992 then
          r = d * l % p
          q = (d * l - r) / p
        else
          ma, mb, mc = l % p, d, p
          --@mul-div
          q, r = mq + d * ((l - l % p) / p), mr
        end
      end
      if last < now then
        level, part = whole - q, frac - r
        if part < 0 then
          level, part = level - 1, part + p
        end
        if level < 0 then
          level, part = 0, 0
        end
        if rewritten then
          last, whole, frac = now, level, part
        end
      elseif q < B or q == B and r == 0 then
        -- The clock stepped back: the instant at which the level will be down again
        -- stays, so that clocks which alternate gain nothing.
        level, part = whole + q, frac + r
        if part >= p then
          level, part = level + 1, part - p
        end
      else -- a clock that is gone: nobody waits longer than a full drain
        level, part = B, 0
        last, whole, frac, rewritten = now, B, 0, true
      end
    end
  end
end
if in_parts then
  local room = B - level
  if part > 0 then room = room - 1 end
  --@grant
end
ok = n <= B and (level < B - n or level == B - n and part == 0)
if ok then
  last, whole, frac, rewritten = now, level + n, part, true
end
if rewritten then
  after = pack('>BI7I6I6I6I6', 66, last, whole, frac, l, p)
  px = ceil((last - now + (whole * p + frac) / l) / 1000) + margin
end
