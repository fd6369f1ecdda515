package resp

// What clients ask of a server when they connect, or before they measure it.

func (c *connection) info() {
	c.bulk("# Server\r\n" +
		"redis_version:" + compatible + "\r\n" +
		"server_name:weir\r\n" +
		"redis_mode:standalone\r\n" +
		"\r\n# Persistence\r\n" +
		"loading:0\r\n" +
		"\r\n# Replication\r\n" +
		"role:master\r\n" +
		"connected_slaves:0\r\n" +
		"\r\n# Cluster\r\n" +
		"cluster_enabled:0\r\n")
}

// settings are those that programs ask for.
var settings = [...][2]string{
	{"save", ""}, {"appendonly", "no"}, {"databases", "16"}, {"maxmemory", "0"}, {"timeout", "0"},
}

// config is CONFIG GET name [name ...]; a name is whole, or * for all.
func (c *connection) config(args [][]byte) {
	if !equalFold(args[0], "get") {
		c.fail("ERR CONFIG knows GET only: weir is configured by its file and flags")
		return
	}
	if len(args) == 1 {
		c.wrongArity("config|get")
		return
	}
	var found [][2]string
	for _, setting := range settings {
		for _, name := range args[1:] {
			if equalFold(name, setting[0]) || string(name) == "*" {
				found = append(found, setting)
				break
			}
		}
	}
	c.mapOf(len(found))
	for _, setting := range found {
		c.bulk(setting[0])
		c.bulk(setting[1])
	}
}

func (c *connection) command(args [][]byte) {
	switch {
	case len(args) == 0:
		c.array(len(commandTable))
		for i := range commandTable {
			c.describe(&commandTable[i])
		}
	case equalFold(args[0], "count"):
		c.integer(int64(len(commandTable)))
	case equalFold(args[0], "list"):
		c.array(len(commandTable))
		for i := range commandTable {
			c.bulk(commandTable[i].name)
		}
	case equalFold(args[0], "docs"):
		c.mapOf(0)
	case equalFold(args[0], "info"):
		c.array(len(args) - 1)
		for _, name := range args[1:] {
			if i := lookup(name); i != cmdUnknown {
				c.describe(&commandTable[i])
			} else {
				c.noArray()
			}
		}
	default:
		c.unknownSub("COMMAND", args[0])
	}
}

// describe is a command's line as of Redis 6: name, arity, flags, and where its
// keys stand.
func (c *connection) describe(s *spec) {
	c.array(6)
	c.bulk(s.name)
	c.integer(s.arity())
	c.array(1)
	if s.key > 0 {
		c.ready = append(c.ready, "+write\r\n"...)
	} else {
		c.ready = append(c.ready, "+fast\r\n"...)
	}
	step := int64(0)
	if s.key > 0 {
		step = 1
	}
	c.integer(int64(s.key))
	c.integer(int64(s.lastKey))
	c.integer(step)
}
