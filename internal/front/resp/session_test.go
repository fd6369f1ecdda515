package resp

import (
	"strings"
	"testing"
)

const token = "correct horse"

// conversation runs lines of a command and its reply on one connection; TOKEN
// stands for the token.
func conversation(t *testing.T, o Options, lines string) {
	t.Helper()
	c := start(t, o).dial()
	for line := range strings.Lines(lines) {
		command, want, found := strings.Cut(strings.TrimSpace(line), " = ")
		if !found {
			continue
		}
		words := strings.Fields(command)
		for i, word := range words {
			if word == "TOKEN" {
				words[i] = token
			}
		}
		if got := strings.TrimSpace(c.ask(words...)); got != want {
			t.Errorf("%s\n got %s\nwant %s", command, got, want)
		}
	}
}

func TestCommands(t *testing.T) {
	for name, lines := range map[string]string{
		"connection": `
			PING = +PONG
			ping hello = hello
			PING a b = -ERR wrong number of arguments for 'ping' command
			ECHO hello = hello
			ECHO = -ERR wrong number of arguments for 'echo' command
			SELECT 3 = +OK
			SELECT 16 = -ERR DB index is out of range
			SELECT -1 = -ERR DB index is out of range
			SELECT x = -ERR value is not an integer or out of range`,
		"hello": `
			HELLO = *[server weir version 7.0.0 proto 2 id 1 mode standalone role master modules *[]]
			HELLO 3 = %[server weir version 7.0.0 proto 3 id 1 mode standalone role master modules *[]]
			CLIENT GETNAME = _
			HELLO 3 SETNAME me = %[server weir version 7.0.0 proto 3 id 1 mode standalone role master modules *[]]
			CLIENT GETNAME = me
			CL.THROTTLE a 0 1 1 = *[0 1 0 -1 1]
			CONFIG GET save = %[save ]
			HELLO 4 = -NOPROTO unsupported protocol version
			HELLO x = -ERR Protocol version is not an integer or out of range
			HELLO 2 AUTH me = -ERR Syntax error in HELLO option 'AUTH'
			HELLO 2 FOO = -ERR Syntax error in HELLO option 'FOO'
			CONFIG GET nothing = %[]
			HELLO 2 = *[server weir version 7.0.0 proto 2 id 1 mode standalone role master modules *[]]
			CONFIG GET save appendonly x = *[save  appendonly no]`,
		"client": `
			CLIENT GETNAME = nil
			CLIENT SETNAME me = +OK
			CLIENT GETNAME = me
			CLIENT ID = 1
			CLIENT SETINFO LIB-NAME x = +OK
			CLIENT TRACKING ON OPTIN = +OK
			CLIENT REPLY OFF = -ERR unknown subcommand 'REPLY' of CLIENT, or wrong number of arguments for it
			CLIENT KILL x = -ERR unknown subcommand 'KILL' of CLIENT, or wrong number of arguments for it`,
		"about": `
			CONFIG SET save x = -ERR CONFIG knows GET only: weir is configured by its file and flags
			CONFIG GET = -ERR wrong number of arguments for 'config|get' command
			COMMAND COUNT = 15
			COMMAND INFO cl.throttle PING DEL GET = *[*[cl.throttle -5 *[+write] 1 1 1] *[ping -1 *[+fast] 0 0 0] *[del -2 *[+write] 1 -1 1] nil array]
			COMMAND DOCS ping = *[]
			COMMAND GETKEYS x = -ERR unknown subcommand 'GETKEYS' of COMMAND, or wrong number of arguments for it
			CLUSTER SLOTS = -ERR This instance has cluster support disabled`,
		"unknown": `
			GET a = -ERR unknown command 'GET', with args beginning with: 'a' 
			SET = -ERR unknown command 'SET', with args beginning with:
			FLUSHALL = -ERR unknown command 'FLUSHALL', with args beginning with:`,
		"without a token": `
			AUTH x = -ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?
			HELLO 3 AUTH default x = -ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?
			CLIENT GETNAME = nil
			AUTH = -ERR wrong number of arguments for 'auth' command
			DEL a = -NOPERM DEL needs the admin token, and this weir has none: set WEIR_ADMIN_TOKEN`,
	} {
		t.Run(name, func(t *testing.T) { conversation(t, Options{}, lines) })
	}
}

// A reset needs the token, and finds the key whatever its parameters were.
func TestDelNeedsTheToken(t *testing.T) {
	for name, lines := range map[string]string{
		"without": `
			DEL a = -NOAUTH DEL needs the admin token: send it with AUTH`,
		"with a wrong one": `
			AUTH x = -WRONGPASS invalid username-password pair or user is disabled.
			DEL a = -NOAUTH DEL needs the admin token: send it with AUTH`,
		"as another user": `
			AUTH admin TOKEN = -WRONGPASS invalid username-password pair or user is disabled.
			DEL a = -NOAUTH DEL needs the admin token: send it with AUTH`,
		"with a wrong one later": `
			AUTH TOKEN = +OK
			AUTH x = -WRONGPASS invalid username-password pair or user is disabled.
			DEL a = -NOAUTH DEL needs the admin token: send it with AUTH`,
		"with it": `
			AUTH TOKEN = +OK
			CL.THROTTLE a 0 1 60 = *[0 1 0 -1 60]
			CL.THROTTLE b 0 1 60 = *[0 1 0 -1 60]
			DEL a = 1
			CL.THROTTLE a 4 1 60 = *[0 5 4 -1 60]
			CL.THROTTLE b 0 1 60 = *[1 1 0 60 60]
			DEL a b none = 3
			CL.THROTTLE b 0 1 60 = *[0 1 0 -1 60]
			DEL = -ERR wrong number of arguments for 'del' command`,
		"as the default user": `
			AUTH default TOKEN = +OK
			DEL a = 1`,
		"by HELLO": `
			HELLO 3 AUTH default x = -WRONGPASS invalid username-password pair or user is disabled.
			HELLO 3 AUTH default TOKEN = %[server weir version 7.0.0 proto 3 id 1 mode standalone role master modules *[]]
			DEL a = 1`,
		"of the selected space": `
			AUTH TOKEN = +OK
			CL.THROTTLE a 0 1 60 = *[0 1 0 -1 60]
			SELECT 1 = +OK
			DEL a = 1
			SELECT 0 = +OK
			CL.THROTTLE a 0 1 60 = *[1 1 0 60 60]`,
	} {
		t.Run(name, func(t *testing.T) { conversation(t, Options{Token: token}, lines) })
	}
}

// Guessing the token costs a connection for each eight guesses, by AUTH or HELLO,
// and what comes after them in the pipeline is not run.
func TestGuessingTheTokenEndsTheConnection(t *testing.T) {
	c := start(t, Options{Token: token}).dial()
	guesses := strings.Repeat(encoded("AUTH", "guess")+encoded("HELLO", "3", "AUTH", "default", "guess"), maxWrongTokens/2)
	c.write(guesses + encoded("AUTH", token))
	for range maxWrongTokens {
		if got := c.reply(); !strings.HasPrefix(got, "-WRONGPASS ") {
			t.Error(got)
		}
	}
	c.closed()
}

// DEL stands in its place among the takes of a pipeline.
func TestDelKeepsItsPlaceInAPipeline(t *testing.T) {
	c := start(t, Options{Token: token}).dial()
	take := encoded("CL.THROTTLE", "a", "0", "1", "60")
	c.write(encoded("AUTH", token) + take + take + encoded("DEL", "a") + take + take)
	for _, want := range []string{"+OK", "*[0 1 0 -1 60]", "*[1 1 0 60 60]", "1", "*[0 1 0 -1 60]", "*[1 1 0 60 60]"} {
		if got := c.reply(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestQuitAnswersWhatCameBefore(t *testing.T) {
	c := start(t, Options{}).dial()
	c.write(encoded("CL.THROTTLE", "a", "0", "1", "60") + encoded("QUIT") + encoded("PING"))
	for _, want := range []string{"*[0 1 0 -1 60]", "+OK"} {
		if got := c.reply(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	c.closed()
}

// The one line that clients wrap the command in, and no other.
func TestEval(t *testing.T) {
	s := start(t, Options{})
	for _, c := range []struct{ script, want string }{
		{"return redis.call('CL.THROTTLE', KEYS[1], ARGV[1], ARGV[2], ARGV[3])", "*[0 16 15 -1 2]"},
		{"return redis.call('CL.THROTTLE', KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4])", "*[0 16 13 -1 6]"},
		{`  return redis.call( "cl.throttle" ,KEYS[ 1 ],'15',"30",60 ) ; `, "*[0 16 15 -1 2]"},
		{"return redis.call('CL.THROTTLE', KEYS[1], unpack(ARGV))", "*[0 16 13 -1 6]"},
		{"return redis.call('CL.THROTTLE', ARGV[1], ARGV[1], ARGV[2], 60, 0)", "*[0 16 16 -1 0]"},
		{"return redis.call('CL.THROTTLE', KEYS[1], -1, 1, 1)", "-ERR max_burst must not be negative"},
		{"return redis.call('CL.THROTTLE', KEYS[1], 1.5, 1, 1)", notWrapper},
		{"return redis.call('CL.THROTTLE', KEYS[2], 1, 1, 1)", "-ERR the script names a key or an argument that was not given"},
		{"return redis.call('CL.THROTTLE', KEYS[0], 1, 1, 1)", "-ERR the script names a key or an argument that was not given"},
		{"return redis.call('CL.THROTTLE', KEYS[99999999999999999999], 1, 1, 1)", notWrapper},
		{"return redis.call('CL.THROTTLE', KEYS[1], ARGV[1])", "-ERR wrong number of arguments for 'cl.throttle' command"},
		{"return redis.call('CL.THROTTLE', KEYS[1], unpack(ARGV), 1)", notWrapper},
		{"return redis.call('CL.THROTTLE')", notWrapper},
		{"return redis.call('DEL', KEYS[1])", notWrapper},
		{"return redis.call('CL.THROTTLE', KEYS[1], 1, 1, 1", notWrapper},
		{"return redis.call('CL.THROTTLE', KEYS[1], 1, 1, 1) + 1", notWrapper},
		{"return redis.call('CL.THROTTLE', 'a\\'b', 1, 1, 1)", notWrapper},
		{"redis.call('CL.THROTTLE', KEYS[1], 1, 1, 1)", notWrapper},
		{"return 1", notWrapper},
		{"", notWrapper},
		{"return redis.call('CL.THROTTLE', '" + strings.Repeat("a", maxScript) + "', 1, 1, 1)", notWrapper},
	} {
		want := c.want
		if want == notWrapper {
			want = "-" + notWrapper
		}
		client := s.dial()
		for range 2 { // the second time it is remembered
			s.engine.store.Reset(t.Context(), keysOf("user", "15"))
			if got := client.ask("EVAL", c.script, "1", "user", "15", "30", "60", "3"); got != want {
				t.Errorf("%.80s\n got %s\nwant %s", c.script, got, want)
			}
		}
	}
	client := s.dial()
	for count, want := range map[string]string{
		"x": "-ERR value is not an integer or out of range", "-1": "-ERR Number of keys can't be negative",
		"9": "-ERR Number of keys can't be greater than number of args",
	} {
		if got := client.ask("EVAL", "return redis.call('CL.THROTTLE', KEYS[1], 1, 1, 1)", count, "a"); got != want {
			t.Errorf("%s keys: %s", count, got)
		}
	}
	if got := client.ask("EVALSHA", strings.Repeat("a", 40), "1", "a"); !strings.HasPrefix(got, "-NOSCRIPT ") {
		t.Error(got)
	}
}
