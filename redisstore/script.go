package redisstore

import (
	"crypto/sha1"
	"embed"
	"encoding/hex"
	"strings"
)

//go:embed lua/*.lua
var luaFiles embed.FS

// script is a Lua script with the name by which EVALSHA calls it.
type script struct {
	body string
	sha  string
}

func newScript(body string) *script {
	sum := sha1.Sum([]byte(body)) // what Redis calls scripts by, no security in it
	return &script{body, hex.EncodeToString(sum[:])}
}

var (
	takeScript   = newScript(assemble("driver"))
	refundScript = newScript(assemble("refund"))
)

// assemble is the file with every line "--@name" replaced by the file of that
// name, and without comments, which the server would have to skip.
func assemble(name string) string {
	src, err := luaFiles.ReadFile("lua/" + name + ".lua")
	if err != nil {
		panic(err) // the files are embedded: a test assembles them all
	}
	var b strings.Builder
	for line := range strings.Lines(string(src)) {
		text := strings.TrimSpace(line)
		if body, found := strings.CutPrefix(text, "--@"); found {
			b.WriteString(assemble(body))
			continue
		}
		if text, _, _ = strings.Cut(text, "--"); text != "" { // no literal holds "--"
			b.WriteString(strings.TrimSpace(text))
			b.WriteByte('\n')
		}
	}
	return b.String()
}
