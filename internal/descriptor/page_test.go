package descriptor_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/weirhq/weir/internal/descriptor"
)

const page = "../../docs/from-envoy-ratelimit.md"

// The configuration on the page loads, and its table has every key that there is.
func TestPage(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(blocks) == 0 {
		t.Fatal("no configuration on the page")
	}
	for _, block := range blocks {
		if _, _, err := descriptor.Load([]descriptor.File{file("page", block[1])}); err != nil {
			t.Error(err)
		}
	}
	_, table, _ := strings.Cut(string(text), "## Every key")
	table, _, _ = strings.Cut(table, "\n## ")
	for _, key := range keys(t) {
		if !strings.Contains(table, "\n| `"+key+"` |") {
			t.Errorf("the table has no %s", key)
		}
	}
}

// keys are those that Load knows, as it says itself.
func keys(t *testing.T) (all []string) {
	t.Helper()
	const unknown = "zzzzzzzzzz: 1"
	for _, text := range []string{
		"domain: d\n" + unknown + "\n", one("{key: k, " + unknown + "}"),
		one("{key: k, rate_limit: {" + unknown + "}}"),
	} {
		_, _, err := descriptor.Load([]descriptor.File{file("f.yaml", text)})
		_, list, found := strings.Cut(err.Error(), "it may have ")
		if !found {
			t.Fatal(err)
		}
		list, _, _ = strings.Cut(list, "\n")
		all = append(all, strings.Split(list, ", ")...)
	}
	return all
}
