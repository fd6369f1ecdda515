package replay

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/weirhq/weir/policy"
)

// compile makes a policy of a configuration's text; "" is the default one.
func compile(t testing.TB, config string) *policy.Policy {
	t.Helper()
	if config == "" {
		return policy.Default()
	}
	c, err := policy.Parse("weir.yaml", []byte(config))
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := c.Compile(policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// one replays texts, each a log named by its place.
func one(t testing.TB, config string, logs ...string) *Report {
	t.Helper()
	var inputs []Input
	for i, log := range logs {
		inputs = append(inputs, Input{Name: fmt.Sprint("log", i), Reader: strings.NewReader(log)})
	}
	report, err := Run(t.Context(), inputs, Options{Policy: compile(t, config)})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// file replays a log in testdata.
func file(t testing.TB, config, name string) *Report {
	t.Helper()
	f, err := os.Open("testdata/logs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	report, err := Run(t.Context(), []Input{{Name: name, Reader: f}}, Options{Policy: compile(t, config)})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

var noon = time.Date(2024, time.May, 15, 12, 0, 0, 0, time.UTC)

// line is a request in the combined format, seconds after noon.
func line(ip string, seconds int, path string) string {
	return fmt.Sprintf("%s - - [%s] \"GET %s HTTP/1.1\" 200 5 \"-\" \"-\"\n", ip, noon.Add(time.Duration(seconds)*time.Second).Format("02/Jan/2006:15:04:05 -0700"), path)
}
