package redisstore_test

import (
	"fmt"
	"strings"

	"github.com/weirhq/weir/internal/redistest"
)

// What a server says of the commands it was sent.

// commandCalls is how often a server has been sent a command.
func commandCalls(server *redistest.Server, command string) (n int) {
	fmt.Sscan(commandStat(server, command, "calls"), &n)
	return n
}

// usecPerCall is the time in µs that a server took for a command.
func usecPerCall(server *redistest.Server, command string) (us float64) {
	fmt.Sscan(commandStat(server, command, "usec_per_call"), &us)
	return us
}

func commandStat(server *redistest.Server, command, field string) string {
	for line := range strings.Lines(server.Do("info", "commandstats")) {
		stats, found := strings.CutPrefix(strings.TrimSpace(line), "cmdstat_"+command+":")
		for f := range strings.SplitSeq(stats, ",") {
			if value, ok := strings.CutPrefix(f, field+"="); found && ok {
				return value
			}
		}
	}
	return "0"
}
