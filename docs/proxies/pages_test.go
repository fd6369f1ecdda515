package proxies

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weirhq/weir/policy"
)

// Every weir.yaml that a page shows is one that weir starts with.
func TestPoliciesOfPages(t *testing.T) {
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range strings.Split(string(text), "```yaml\n")[1:] {
			block, _, _ = strings.Cut(block, "```")
			if !strings.HasPrefix(strings.TrimSpace(block), "# weir.yaml") {
				continue
			}
			found++
			config, err := policy.Parse(page, []byte(block))
			if err == nil {
				_, _, err = config.Compile(policy.Options{})
			}
			if err != nil {
				t.Errorf("%s: %v", page, err)
			}
		}
	}
	if found < 6 {
		t.Errorf("only %d were found: the test looks in the wrong place", found)
	}
}
