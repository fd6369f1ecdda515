package descriptor_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/weirhq/weir/internal/descriptor"
)

func file(name, text string) descriptor.File { return descriptor.File{Name: name, Text: []byte(text)} }

// one is a file with one descriptor.
func one(text string) string { return "domain: d\ndescriptors:\n  - " + text + "\n" }

// What is wrong is said with its place and what was probably meant.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "f.yaml:1:1: the file is empty: it needs a domain and descriptors"},
		{"no YAML", "domain: [", "f.yaml:1:10: the file ends within a list or a map: close it with ] or }"},
		{"a list", "- domain: d\n", "f.yaml:1:1: the file is a list, not a map: write it as name: value\nf.yaml:1:1: domain is missing: write domain: NAME, as Envoy's configuration has it"},
		{"no domain", "descriptors: []\n", "f.yaml:1:1: domain is missing: write domain: NAME, as Envoy's configuration has it"},
		{"empty domain", "domain: ''\n", "f.yaml:1:9: domain is empty: fill it in or remove it"},
		{"unknown at the top", "domain: d\ndescriptor: []\n", `f.yaml:2:1: unknown key "descriptor" in the file: did you mean descriptors?`},
		{"unknown in a descriptor", one("{key: k, ratelimit: {}}"), `f.yaml:3:14: unknown key "ratelimit" in a descriptor: did you mean rate_limit?`},
		{"far from any", one("{key: k, color: red}"), `f.yaml:3:14: unknown key "color" in a descriptor: it may have key, value, rate_limit, descriptors, shadow_mode, quota_mode, detailed_metric, value_to_metric, share_threshold, metadata`},
		{"in the wrong place", one("{key: k, rate_limit: {unit: day, requests_per_unit: 1, shadow_mode: true}}"), `f.yaml:3:60: unknown key "shadow_mode" in rate_limit: it belongs beside rate_limit`},
		{"no key", one("{value: v}"), "f.yaml:3:5: a descriptor without a key: write key: NAME"},
		{"empty key", one("{key: ''}"), "f.yaml:3:11: key is empty: fill it in or remove it"},
		{"key twice", one("{key: k, key: l}"), "f.yaml:3:14: key is in line 3 too: keep one of them"},
		{"descriptor twice", one("{key: k, value: v}\n  - {key: k, value: v}"), "f.yaml:4:5: k=v is here twice: keep one of them"},
		{"bare key twice", one("{key: k}\n  - {key: k}"), "f.yaml:4:5: k is here twice: keep one of them"},
		{"pattern twice", one("{key: k, value: a*}\n  - {key: k, value: a*}"), "f.yaml:4:5: k=a* is here twice: keep one of them"},
		{"misspelt unit", one("{key: k, rate_limit: {unit: minuet, requests_per_unit: 1}}"), `f.yaml:3:33: unit is "minuet": did you mean minute?`},
		{"no unit at all", one("{key: k, rate_limit: {unit: fortnight, requests_per_unit: 1}}"), `f.yaml:3:33: unit is "fortnight": write second, minute, hour, day, week, month or year, or a duration such as 10s`},
		{"unit unknown", one("{key: k, rate_limit: {unit: unknown, requests_per_unit: 1}}"), `f.yaml:3:33: unit is "unknown": write second, minute, hour, day, week, month or year, or a duration such as 10s`},
		{"unit too long", one("{key: k, rate_limit: {unit: 408d, requests_per_unit: 1}}"), "f.yaml:3:33: unit is outside 1µs to 407d"},
		{"unit missing", one("{key: k, rate_limit: {requests_per_unit: 1}}"), "f.yaml:3:26: unit is missing: write unit: minute"},
		{"requests missing", one("{key: k, rate_limit: {unit: day}}"), "f.yaml:3:26: requests_per_unit is missing: write requests_per_unit: 0 to refuse all"},
		{"requests below 0", one("{key: k, rate_limit: {unit: day, requests_per_unit: -1}}"), `f.yaml:3:57: requests_per_unit is "-1": write a whole number from 0 to 4294967295`},
		{"requests too many", one("{key: k, rate_limit: {unit: day, requests_per_unit: 4294967296}}"), `f.yaml:3:57: requests_per_unit is "4294967296": write a whole number from 0 to 4294967295`},
		{"limit empty", one("{key: k, rate_limit: }"), "f.yaml:3:26: rate_limit is empty, not a map: write it as name: value"},
		{"unlimited by the minute", one("{key: k, rate_limit: {unlimited: true, unit: minute}}"), "f.yaml:3:50: what is unlimited has no unit, algorithm or burst: remove it, or unlimited"},
		{"no boolean", one("{key: k, shadow_mode: maybe}"), `f.yaml:3:27: shadow_mode is "maybe": write true or false`},
		{"shares nothing", one("{key: k, value: v, share_threshold: true}"), "f.yaml:3:41: share_threshold without a wildcard shares nothing: write value: with a * in it, or remove share_threshold"},
		{"replaces itself", one("{key: k, rate_limit: {name: n, replaces: [{name: n}], unit: day, requests_per_unit: 1}}"), "f.yaml:3:26: a limit replaces itself: it would never count"},
		{"replaces nobody", one("{key: k, rate_limit: {replaces: [{name: ''}], unit: day, requests_per_unit: 1}}"), "f.yaml:3:45: name is empty: fill it in or remove it"},
		{"misspelt algorithm", one("{key: k, rate_limit: {unit: day, requests_per_unit: 1, algorithm: gcar}}"), `f.yaml:3:71: algorithm is "gcar": did you mean gcra?`},
		{"burst alone", one("{key: k, rate_limit: {unit: day, requests_per_unit: 1, burst: 2}}"), "f.yaml:3:67: burst does not exist without an algorithm: write algorithm: gcra or token-bucket, too"},
		{"burst of a window", one("{key: k, rate_limit: {unit: day, requests_per_unit: 1, burst: 2, algorithm: sliding-log}}"), "f.yaml:3:67: burst does not exist for sliding-log; it does for gcra and token-bucket"},
		{"on_error", one("{key: k, rate_limit: {unit: day, requests_per_unit: 1, on_error: alow}}"), `f.yaml:3:70: on_error is "alow": did you mean allow?`},
		{"metadata", one("{key: k, metadata: [1]}"), "f.yaml:3:24: metadata is a list, not a map: write it as name: value"},
		{"merge key", "domain: d\ndescriptors:\n  - &a {key: k}\n  - {<<: *a, value: v}\n", "f.yaml:4:6: merge keys are not supported: write the fields out, or an alias in place of the whole value\nf.yaml:4:5: a descriptor without a key: write key: NAME"},
		{"all of them", one("{key: k, value: v, rate_limit: {unit: x, requests_per_unit: y}, z: 1}"), "3 lines"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := descriptor.Load([]descriptor.File{file("f.yaml", c.text)})
			if err == nil {
				t.Fatal("accepted")
			}
			if c.want == "3 lines" {
				if n := strings.Count(err.Error(), "\n") + 1; n != 3 {
					t.Errorf("%d mistakes:\n%v", n, err)
				}
				return
			}
			wanted := strings.Split(c.want, "\n")
			slices.Sort(wanted)
			got := strings.Split(err.Error(), "\n")
			slices.Sort(got)
			if !slices.Equal(got, wanted) {
				t.Errorf("got  %v\nwant %v", err, c.want)
			}
		})
	}
}

func TestADomainIsInOneFile(t *testing.T) {
	_, _, err := descriptor.Load([]descriptor.File{file("a.yaml", "domain: d\n"), file("b.yaml", "\ndomain: d\n")})
	if want := `b.yaml:2:9: the domain "d" is in a.yaml:1 too: put its descriptors into one file`; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// What the predecessor reads is read: aliases, its spellings of yes and no, units
// in any case, numbers as texts, what is not there.
func TestWhatIsRead(t *testing.T) {
	set, warnings, err := descriptor.Load([]descriptor.File{file("a.yaml", `
domain: d
descriptors:
  - {key: a, rate_limit: &l {unit: MiNuTe, requests_per_unit: "5"}, shadow_mode: No}
  - {key: b, value: 1, rate_limit: *l, detailed_metric: on, value_to_metric: yes}
  - {key: c, value: "", rate_limit: {unlimited: true, requests_per_unit: 7}}
  - {key: d, value: , descriptors: , metadata: }
`), file("b.yaml", "domain: e\n")})
	if err != nil {
		t.Fatal(err)
	}
	if got := set.Domains(); !slices.Equal(got, []string{"d", "e"}) {
		t.Errorf("domains %v", got)
	}
	if len(warnings) != 1 || warnings[0].Line != 5 || !strings.Contains(warnings[0].Message, "detailed_metric has no effect") {
		t.Errorf("warnings %v", warnings)
	}
}

// A name that nobody has is no mistake there, and was meant for somebody.
func TestReplacedNamesAreThere(t *testing.T) {
	const text = "domain: d\ndescriptors:\n" +
		"  - {key: a, rate_limit: {name: wide, replaces: [{name: narow}, {name: narrow}], unit: day, requests_per_unit: 1}}\n" +
		"  - {key: b, rate_limit: {name: narrow, unit: day, requests_per_unit: 1}}\n"
	_, warnings, err := descriptor.Load([]descriptor.File{file("f.yaml", text)})
	if err != nil {
		t.Fatal(err)
	}
	const want = `f.yaml:3:57: no limit here is named "narow", so this replaces nothing: did you mean narrow?`
	if len(warnings) != 1 || warnings[0].Error() != want {
		t.Errorf("got  %v\nwant %s", warnings, want)
	}
}

// Nothing that a small file writes out fills the memory: neither an alias within
// itself nor one of many within many.
func TestSizeIsBounded(t *testing.T) {
	var bomb strings.Builder
	bomb.WriteString("domain: d\ndescriptors:\n  - &a0 {key: a}\n")
	for level := 1; level <= 12; level++ {
		fmt.Fprintf(&bomb, "  - &a%d {key: b%d, descriptors: [", level, level)
		for i := range 12 {
			fmt.Fprintf(&bomb, "{key: k%d, descriptors: [*a%d]},", i, level-1)
		}
		bomb.WriteString("]}\n")
	}
	for name, text := range map[string]string{
		"an alias within itself": "domain: d\ndescriptors: &d\n  - {key: k, descriptors: *d}\n",
		"many within many":       bomb.String(),
		"many names replaced by many": "domain: d\ndescriptors:\n  - {key: k, rate_limit: &l {unit: day, requests_per_unit: 1, replaces: [" +
			strings.Repeat("{name: n},", 600) + "]}}\n" + copies("rate_limit: *l"),
		"metadata of many":        "domain: d\ndescriptors:\n  - {key: k, metadata: &m {l: [" + strings.Repeat("1,", 600) + "]}}\n" + copies("metadata: *m"),
		"metadata within itself":  one("{key: k, metadata: &m {m: *m}}"),
		"metadata in many copies": one("{key: k, metadata: {a: &a [1,2,3,4,5,6,7,8,9,10], b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a], c: [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]}}"),
	} {
		if _, _, err := descriptor.Load([]descriptor.File{file("f.yaml", text)}); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// copies are many descriptors with the same in each.
func copies(what string) string {
	var b strings.Builder
	for i := range 600 {
		fmt.Fprintf(&b, "  - {key: k%d, %s}\n", i, what)
	}
	return b.String()
}

func FuzzLoad(f *testing.F) {
	golden, err := os.ReadFile("../front/envoyrls/testdata/golden.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(golden))
	f.Add(one("{key: k, value: a*b, rate_limit: {unit: 10s, requests_per_unit: 1, algorithm: gcra, burst: 3}}"))
	f.Add("domain: d\ndescriptors: &d\n  - {key: k, descriptors: *d}\n")
	f.Fuzz(func(t *testing.T, text string) {
		set, _, err := descriptor.Load([]descriptor.File{file("f.yaml", text)})
		if err == nil && len(set.Domains()) != 1 {
			t.Errorf("%d domains", len(set.Domains()))
		}
		if err != nil && !strings.HasPrefix(err.Error(), "f.yaml:") {
			t.Errorf("an error without a place: %v", err)
		}
	})
}
