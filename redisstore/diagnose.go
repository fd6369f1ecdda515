package redisstore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/redis/rueidis"
)

// Finding is something wrong with a server, and what to do about it.
type Finding struct {
	// Fatal says that no decision can be made until it is mended.
	Fatal bool
	// Temporary says that it may mend itself: the server is not there yet.
	Temporary bool
	Problem   string
	Remedy    string
}

func (f Finding) String() string { return f.Problem + ": " + f.Remedy }

// permissions are what an ACL user needs, as ACL SETUSER wants it. A cluster's
// needs +cluster|slots and +cluster|shards as well.
const permissions = "~weir:* +evalsha +eval +get +set +exists +del +unlink +pexpire +time +lrange +lindex +lset +ltrim +lrem +rpush +rpop +ping +info"

// diagnosisKey is written and removed to see whether writes are possible.
const diagnosisKey = ":{%diagnosis}"

// Diagnose looks for what keeps the store from working, or will one day. It is
// for the start of a daemon: call it once, with a deadline. A store that was made
// with [NewWithDoer] has nothing to tell.
func (s *Store) Diagnose(ctx context.Context) []Finding {
	e, ok := s.eval.(*rueidisEvaler)
	if !ok {
		return nil
	}
	client, err := e.client()
	if err != nil {
		return []Finding{explainError(err)}
	}
	key := s.prefix + diagnosisKey
	write := client.Do(ctx, client.B().Set().Key(key).Value("").PxMilliseconds(1000).Build()).Error()
	if write != nil {
		return []Finding{explainError(write)}
	}
	script := `redis.call('TIME') redis.call('GET', KEYS[1]) return 1`
	if err := client.Do(ctx, client.B().Eval().Script(script).Numkeys(1).Key(key).Build()).Error(); err != nil {
		return []Finding{explainScript(err)}
	}
	client.Do(ctx, client.B().Unlink().Key(key).Build()) // it has a lifetime if this fails
	return memoryFindings(ctx, client)
}

// explainError words an error of a plain command.
func explainError(err error) Finding {
	switch text := err.Error(); {
	case strings.Contains(text, "WRONGPASS"):
		return Finding{Fatal: true, Problem: "the server refuses the user or password", Remedy: "mend user:password@ in the store's URL"}
	case strings.Contains(text, "NOAUTH"):
		return Finding{Fatal: true, Problem: "the server wants a password", Remedy: "write redis://:PASSWORD@host, or user:PASSWORD@ for an ACL user"}
	case strings.Contains(text, "NOPERM"):
		return Finding{Fatal: true, Problem: "the ACL user may not do what weir needs",
			Remedy: "allow it: ACL SETUSER weir on >PASSWORD " + permissions + " (" + text + ")"}
	case strings.Contains(text, "READONLY"):
		return Finding{Fatal: true, Problem: "the server is a read-only replica", Remedy: "name its master, or use redis+sentinel:// so that the master is found"}
	case strings.Contains(text, "unsupported") && strings.Contains(text, "HELLO"):
		return Finding{Fatal: true, Problem: "the server is older than Redis 6", Remedy: "weir needs Redis 6.2 or newer, or Valkey"}
	case errors.Is(err, errNotConnected), errors.Is(err, context.DeadlineExceeded):
		return Finding{Temporary: true, Problem: "the server cannot be reached", Remedy: "is it running at this address, and does it speak TLS as the URL says? weir goes on looking for it (" + text + ")"}
	default:
		return Finding{Temporary: true, Problem: "the server answers with an error", Remedy: text}
	}
}

// explainScript words an error of EVAL where a plain command went through.
func explainScript(err error) Finding {
	text := err.Error()
	switch {
	case strings.Contains(text, "NOPERM"):
		return explainError(err)
	case strings.Contains(strings.ToLower(text), "unknown command"):
		return Finding{Fatal: true, Problem: "the server forbids scripts", Remedy: "weir decides by EVALSHA: allow EVAL, EVALSHA and SCRIPT LOAD (" + text + ")"}
	case strings.Contains(strings.ToUpper(text), "TIME"):
		return Finding{Fatal: true, Problem: "the server forbids TIME in scripts", Remedy: "decide by the processes' clocks, which must agree: WithClock (" + text + ")"}
	default:
		return explainError(err)
	}
}

// memoryFindings warns of a server that may throw away keys that still count.
func memoryFindings(ctx context.Context, client rueidis.Client) []Finding {
	text, err := client.Do(ctx, client.B().Info().Section("memory").Build()).ToString()
	if err != nil {
		return nil // a user without INFO is a careful one
	}
	policy, limit := field(text, "maxmemory_policy"), field(text, "maxmemory")
	if limit == "0" || policy == "noeviction" || policy == "" {
		return nil
	}
	return []Finding{{
		Problem: fmt.Sprintf("the server throws keys away when its memory is full (maxmemory-policy %s)", policy),
		Remedy:  "a key thrown away forgives its caller: set maxmemory-policy noeviction, or give weir a server of its own",
	}}
}

func field(info, name string) string {
	for line := range strings.Lines(info) {
		if value, found := strings.CutPrefix(line, name+":"); found {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
