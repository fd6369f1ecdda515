package replay

import (
	"bytes"
	"flag"
	"os"
	"regexp"
	"testing"
)

var update = flag.Bool("update", false, "write the report into docs/replay.md")

// The report in docs/replay.md is what its policy makes of the log.
func TestDocs(t *testing.T) {
	const name = "../../docs/replay.md"
	doc, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	policy := regexp.MustCompile("(?s)<!-- policy -->\n```yaml\n(.*?)```").FindSubmatch(doc)
	place := regexp.MustCompile("(?s)<!-- report -->\n```\n(.*?)```").FindSubmatchIndex(doc)
	if policy == nil || place == nil {
		t.Fatal("the policy or the report is not there")
	}
	var want bytes.Buffer
	file(t, string(policy[1]), "nginx_api_9days.log.gz").WriteText(&want)
	if *update {
		doc = append(append(append([]byte(nil), doc[:place[2]]...), want.Bytes()...), doc[place[3]:]...)
		if err := os.WriteFile(name, doc, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got := doc[place[2]:place[3]]; !bytes.Equal(got, want.Bytes()) {
		t.Errorf("docs/replay.md shows\n%s\nand it is\n%s", got, want.Bytes())
	}
}
