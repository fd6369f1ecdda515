package resp

import "strings"

// spec is a command as COMMAND tells it. most is how many words it may have, its
// name among them; 0 is any number.
type spec struct {
	name        string
	least, most int
	key         int // which word is the first key; 0 for none
	lastKey     int // -1 for the last word
}

// The commands, in the order of commandTable.
const (
	cmdThrottle = iota
	cmdPing
	cmdEcho
	cmdHello
	cmdAuth
	cmdSelect
	cmdClient
	cmdConfig
	cmdCommand
	cmdInfo
	cmdCluster
	cmdDel
	cmdEval
	cmdEvalSHA
	cmdQuit
	cmdUnknown
)

var commandTable = [...]spec{
	cmdThrottle: {name: "cl.throttle", least: 5, most: 6, key: 1, lastKey: 1},
	cmdPing:     {name: "ping", least: 1, most: 2},
	cmdEcho:     {name: "echo", least: 2, most: 2},
	cmdHello:    {name: "hello", least: 1},
	cmdAuth:     {name: "auth", least: 2, most: 3},
	cmdSelect:   {name: "select", least: 2, most: 2},
	cmdClient:   {name: "client", least: 2},
	cmdConfig:   {name: "config", least: 2},
	cmdCommand:  {name: "command", least: 1},
	cmdInfo:     {name: "info", least: 1},
	cmdCluster:  {name: "cluster", least: 2},
	cmdDel:      {name: "del", least: 2, key: 1, lastKey: -1},
	cmdEval:     {name: "eval", least: 3},
	cmdEvalSHA:  {name: "evalsha", least: 3},
	cmdQuit:     {name: "quit", least: 1},
}

// Unknown stands for commands that there are not, where a [Watcher] is told of
// them.
const Unknown = "unknown"

// Names are the commands that there are, in lower case.
func Names() (names []string) {
	for i := range commandTable {
		names = append(names, commandTable[i].name)
	}
	return names
}

func lookup(word []byte) int {
	for i := range commandTable {
		if equalFold(word, commandTable[i].name) {
			return i
		}
	}
	return cmdUnknown
}

// equalFold compares a word with lower-case ASCII.
func equalFold(word []byte, name string) bool {
	if len(word) != len(name) {
		return false
	}
	for i, b := range word {
		if b >= 'A' && b <= 'Z' {
			b += 'a' - 'A'
		}
		if b != name[i] {
			return false
		}
	}
	return true
}

func (s *spec) takes(words int) bool { return words >= s.least && (s.most == 0 || words <= s.most) }

// arity is as Redis tells it: below 0 where there may be more.
func (s *spec) arity() int64 {
	if s.least == s.most {
		return int64(s.least)
	}
	return -int64(s.least)
}

func (c *connection) execute(words [][]byte) {
	which := lookup(words[0])
	c.counts[which]++
	switch {
	case which == cmdUnknown:
		c.unknown(words)
		return
	case !commandTable[which].takes(len(words)):
		c.wrongArity(commandTable[which].name)
		return
	}
	args := words[1:]
	switch which {
	case cmdThrottle:
		if c.throttle(args) {
			c.again.note(c.text, args[0], &c.checks[len(c.checks)-1])
		}
	case cmdPing:
		c.ping(args)
	case cmdEcho:
		c.ready = appendBulk(c.ready, args[0])
	case cmdHello:
		c.hello(args)
	case cmdAuth:
		c.auth(args)
	case cmdSelect:
		c.selectDatabase(args[0])
	case cmdClient:
		c.client(args)
	case cmdConfig:
		c.config(args)
	case cmdCommand:
		c.command(args)
	case cmdInfo:
		c.info()
	case cmdCluster:
		c.fail("ERR This instance has cluster support disabled")
	case cmdDel:
		c.forget(args)
	case cmdEval:
		c.eval(args)
	case cmdEvalSHA: // clients send EVAL next
		c.fail("NOSCRIPT No matching script. Please use EVAL.")
	case cmdQuit:
		c.ok()
		c.ending = true
	}
}

func (c *connection) wrongArity(name string) {
	c.fail("ERR wrong number of arguments for '" + name + "' command")
}

func (c *connection) unknown(words [][]byte) {
	var text strings.Builder
	text.WriteString("ERR unknown command '" + printable(words[0]) + "', with args beginning with: ")
	for _, word := range words[1:] {
		if text.Len() > 2*maxPrinted {
			break
		}
		text.WriteString("'" + printable(word) + "' ")
	}
	c.fail(text.String())
}

// tell says how many commands have come since the last time.
func (c *connection) tell() {
	for i, n := range c.counts {
		switch {
		case n == 0:
			continue
		case i == cmdUnknown:
			c.Watcher.Commands(Unknown, n)
		default:
			c.Watcher.Commands(commandTable[i].name, n)
		}
		c.counts[i] = 0
	}
}

func (c *connection) ping(args [][]byte) {
	if len(args) == 0 {
		c.ready = append(c.ready, "+PONG\r\n"...)
		return
	}
	c.ready = appendBulk(c.ready, args[0])
}
