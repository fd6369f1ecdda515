package child_test

import (
	"net"
	"strconv"
	"testing"

	"github.com/weirhq/weir/internal/child"
)

// No port is given twice, neither as an address nor as one above it.
func TestPortsAreGivenOnce(t *testing.T) {
	given := map[int]bool{}
	for range 1000 {
		addr, err := child.FreeAddr(10_000)
		if err != nil {
			t.Fatal(err)
		}
		_, text, _ := net.SplitHostPort(addr)
		port, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []int{port, port + 10_000} {
			if given[p] {
				t.Errorf("%d is given twice", p)
			}
			given[p] = true
		}
	}
}
