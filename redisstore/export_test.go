package redisstore

import "github.com/weirhq/weir"

// What the tests outside need to see.

func KeyName(s *Store, k weir.Key) string { return s.name(&k) }

func Assemble(name string) string { return assemble(name) }

func ScriptFiles() []string {
	files, err := luaFiles.ReadDir("lua")
	if err != nil {
		panic(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Name())
	}
	return names
}

const Permissions = permissions

// The names by which EVALSHA calls the scripts.
var TakeScript, RefundScript = takeScript.sha, refundScript.sha
