-- Of the takes that are asked in one, as many are granted as fit into the room.
-- Where none does, one is asked, which then is refused.
n = n * math.max(1, math.min(times, floor(room / n)))
