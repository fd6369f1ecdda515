package process

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of the kernel's accounts, USER_HZ, on every Linux that Go runs
// on.
const tick = 10 * time.Millisecond

// CPU is the processor time that a process and its children have used so far; 0
// where there is no /proc. It is what a proxy costs even where callers, upstream
// and neighbours take turns on the same cores.
func CPU(pid int) (used time.Duration) {
	if pid == 0 {
		return 0
	}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range stats {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		// After the name, which may hold anything, come state and parent; the
		// twelfth and thirteenth are user and system time.
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		own := file == fmt.Sprintf("/proc/%d/stat", pid)
		if len(fields) < 13 || !own && fields[1] != strconv.Itoa(pid) {
			continue
		}
		for _, field := range fields[11:13] {
			n, _ := strconv.ParseInt(field, 10, 64)
			used += time.Duration(n) * tick
		}
	}
	return used
}
