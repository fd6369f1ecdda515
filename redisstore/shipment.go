package redisstore

// shipment is a call for several orders.
type shipment struct {
	*company
	parcels []*parcel
	read    chan struct{}
}

func (c *carrier) board() *shipment {
	s := &shipment{gather(c.waiting), c.waiting, make(chan struct{})}
	for _, p := range s.parcels {
		p.read = s.read
	}
	c.waiting, c.checks = nil, 0
	return s
}

// drive makes call after call, until nobody waits.
func (c *carrier) drive(s *shipment) {
	for s != nil {
		c.deliver(s)
		s = c.next()
	}
}

// next takes the place of a call that is back: those who wait, or nil.
func (c *carrier) next() *shipment {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.waiting) == 0 {
		c.onTheWay--
		return nil
	}
	return c.board()
}

// deliver makes the call. The orders are read before it, since who gives up during
// the call uses its checks for something else.
func (c *carrier) deliver(s *shipment) {
	orders := make([]order, len(s.parcels))
	for i, p := range s.parcels {
		orders[i] = p.order
	}
	call := c.store.request(orders...)
	close(s.read)
	reply, err := c.store.eval.eval(s.ctx, takeScript, call)
	if err == nil {
		err = s.unpack(reply)
	}
	err = c.heed(s, s.end(err))
	for _, p := range s.parcels {
		p.tell(err)
	}
}

// heed has each ask alone where one of the others may be why the call was refused.
// A server that has every key in the right slot alone is not asked so again.
func (c *carrier) heed(s *shipment, err error) error {
	if len(s.parcels) == 1 || !isUnbegun(err) {
		return err
	}
	if isCrossSlot(err) {
		c.split.Store(true)
	}
	return errAlone
}

// unpack gives each parcel what the reply says to it.
func (s *shipment) unpack(reply string) error {
	r := replyReader{rest: reply}
	at := r.instant()
	for _, p := range s.parcels {
		p.answer = answer{at, r.cut(len(p.checks), p.times)}
	}
	if r.failed || r.rest != "" {
		return errReply
	}
	return nil
}
