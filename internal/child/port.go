package child

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
)

// FreeAddr is an address on 127.0.0.1 for a process to listen on. Nothing listens
// there, nor on the ports that are above it by each of the distances, of at most
// 10,000. Each of them is given once.
//
// All these ports are below those that systems give to clients and to listeners at
// port 0: one of those could be somebody else's before the process has it.
func FreeAddr(above ...int) (string, error) {
	for range 1000 {
		port := 10_000 + rand.IntN(12_000)
		free := claim(port)
		for _, distance := range above {
			free = free && claim(port+distance)
		}
		if free {
			return address(port), nil
		}
	}
	return "", errors.New("child: no port is free")
}

var ports sync.Map // that were claimed

// claim reports whether a port is free and was not claimed before.
func claim(port int) bool {
	_, claimed := ports.LoadOrStore(port, true)
	return !claimed && isFree(port)
}

func isFree(port int) bool {
	l, err := net.Listen("tcp", address(port))
	if err != nil {
		return false
	}
	return l.Close() == nil
}

func address(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }
