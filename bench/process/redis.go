package process

// Redis starts a Redis server that keeps nothing on disk, and returns its address.
func (g *Group) Redis(dir string) (address string, pid int, err error) {
	address = Free()
	pid, err = g.Start(address, "redis-server", "--port", Port(address), "--bind", "127.0.0.1", "--dir", dir, "--save", "", "--appendonly", "no")
	return address, pid, err
}
