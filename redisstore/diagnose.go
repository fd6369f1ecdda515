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

// permissions are what an ACL user needs, as ACL SETUSER wants it, beside the keys
// (~weir:*). A cluster's needs +cluster|slots and +cluster|shards as well.
const permissions = "+evalsha +eval +script|load +get +set +exists +del +unlink +pexpire +time +lrange +lindex +lset +ltrim +lrem +rpush +rpop +ping +info"

const (
	// diagnosisKey is written and removed to see whether writes are possible.
	diagnosisKey = ":{%diagnosis}"
	// timeScript and commandScript do what the real scripts do.
	timeScript    = `return redis.call('TIME')[1]`
	commandScript = `local k = KEYS[1]
redis.call('DEL', k)
redis.call('RPUSH', k, 'a', 'b', 'c')
redis.call('PEXPIRE', k, 1000)
redis.call('LRANGE', k, 0, 1)
redis.call('LINDEX', k, 0)
redis.call('LSET', k, 0, 'd')
redis.call('LTRIM', k, 1, -1)
redis.call('LREM', k, 1, 'b')
redis.call('RPOP', k)
redis.call('SET', k, '', 'PX', 1000)
redis.call('EXISTS', k)
return redis.call('GET', k)`
)

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
		return []Finding{s.explain(err)}
	}
	key := s.prefix + diagnosisKey
	if err := client.Do(ctx, client.B().Set().Key(key).Value("").PxMilliseconds(1000).Build()).Error(); err != nil {
		return []Finding{s.explain(err)}
	}
	// By a name that no script has: nothing is executed where it may be.
	err = client.Do(ctx, client.B().Evalsha().Sha1(strings.Repeat("0", 40)).Numkeys(1).Key(key).Build()).Error()
	if !isNoScript(err) {
		return []Finding{s.explainScript(err)}
	}
	if err := client.Do(ctx, client.B().Eval().Script(commandScript).Numkeys(1).Key(key).Build()).Error(); err != nil {
		return []Finding{s.explainScript(err)}
	}
	if err := client.Do(ctx, client.B().Eval().Script(timeScript).Numkeys(1).Key(key).Build()).Error(); err != nil && s.clock == nil {
		return []Finding{s.explainTime(err)}
	}
	client.Do(ctx, client.B().Unlink().Key(key).Build()) // it has a lifetime if this fails
	for _, node := range client.Nodes() {
		if found := memoryFindings(ctx, node); len(found) > 0 {
			return found
		}
	}
	return nil
}

// explain words an error of a plain command.
func (s *Store) explain(err error) Finding {
	switch text := err.Error(); {
	case strings.Contains(text, "WRONGPASS"):
		return Finding{Fatal: true, Problem: "the server refuses the user or password", Remedy: "mend user:password@ in the store's URL"}
	case strings.Contains(text, "NOAUTH"):
		return Finding{Fatal: true, Problem: "the server wants a password", Remedy: "write redis://:PASSWORD@host, or user:PASSWORD@ for an ACL user"}
	case strings.Contains(text, "NOPERM"), strings.Contains(text, "user executing the script can't"):
		return Finding{Fatal: true, Problem: "the ACL user may not do what weir needs",
			Remedy: fmt.Sprintf("allow it: ACL SETUSER weir on >PASSWORD ~%s:* %s (%s)", s.prefix, permissions, text)}
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

// explainScript words an error of EVAL or EVALSHA where a plain command went
// through.
func (s *Store) explainScript(err error) Finding {
	if err != nil && strings.Contains(strings.ToLower(err.Error()), "unknown command") {
		return Finding{Fatal: true, Problem: "the server forbids scripts", Remedy: "weir decides by EVALSHA: allow EVAL and EVALSHA (" + err.Error() + ")"}
	}
	if err == nil {
		return Finding{Temporary: true, Problem: "the server ran a script that does not exist", Remedy: "is it a Redis or a Valkey?"}
	}
	return s.explain(err)
}

// explainTime words an error of TIME in a script where scripts are allowed.
func (s *Store) explainTime(err error) Finding {
	if errors.Is(err, context.DeadlineExceeded) {
		return s.explain(err)
	}
	return Finding{Fatal: true, Problem: "the server forbids TIME in scripts",
		Remedy: "allow an ACL user +time; where a service forbids it to everybody, decide by the processes' clocks, which must agree: WithClock (" + err.Error() + ")"}
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
