package redisstore_test

import (
	"strings"
	"testing"
	"time"

	"github.com/weirhq/weir/internal/redistest"
	"github.com/weirhq/weir/redisstore"
)

// The scripts are there before the first request.
func TestScriptsAreLoadedAtTheStart(t *testing.T) {
	server := redistest.Start(t)
	open(t, "redis://"+server.Addr)
	redistest.Until(t, 5*time.Second, func() bool {
		return strings.Count(server.Do("script", "exists", redisstore.TakeScript, redisstore.RefundScript), "1") == 2
	}, "both scripts are loaded")
}
