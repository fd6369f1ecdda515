package strictjson

import (
	"encoding/json"
	"strings"
	"testing"
)

type order struct {
	Dish  *string           `json:"dish"`
	Count *int64            `json:"count"`
	Hot   bool              `json:"hot,omitempty"`
	Guest *guest            `json:"guest"`
	Party []guest           `json:"party"`
	Notes map[string]string `json:"notes"`
	Raw   []json.RawMessage `json:"raw"`
}

type guest struct {
	Name string `json:"name"`
}

func TestWhatIsWrongIsSaid(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"all right", `{"dish": "soup", "count": -3, "hot": true, "guest": {"name": "a\"}"}, "notes": {"a": "{", "b": "\""}, "raw": [1, {"x": 1, "x": [2]}, "]"], "party": [{"name": "b"} , {}, null]}`, ""},
		{"nothing in it", ` { } `, ""},
		{"nulls", `{"dish": null, "guest": null, "notes": null, "raw": null}`, ""},
		{"null", `null`, ""},
		{"escaped name", `{"di\u0073h": "soup"}`, ""},

		{"empty", ``, "The body is empty."},
		{"blank", " \n", "The body is empty."},
		{"cut short", `{"dish": "so`, "The body is not JSON: it ends too early."},
		{"no JSON", `{"dish": NaN}`, "The body is not JSON: byte 10: invalid character 'N' looking for beginning of value."},
		{"no UTF-8", "{\"dish\": \"\xff\"}", "The body is not UTF-8."},
		{"a second value", `{} {}`, "The body goes on after its JSON value."},
		{"rubbish behind", `{} x`, "The body goes on after its JSON value."},
		{"a list", `[]`, "The body takes an object, not a list."},
		{"a number", `5`, "The body takes an object, not a number."},

		{"unknown", `{"colour": 1}`, `The body has no field "colour".`},
		{"misspelt", `{"dsh": "soup"}`, `The body has no field "dsh"; did you mean "dish"?`},
		{"misspelt within", `{"guest": {"nmae": "a"}}`, `The body has no field "nmae"; did you mean "name"?`},
		{"another letter case", `{"Dish": "soup"}`, `The body has no field "Dish"; did you mean "dish"?`},
		{"misspelt within a list", `{"party": [{"name": "a"}, {"Name": "b"}]}`, `The body has no field "Name"; did you mean "name"?`},
		{"twice within a list", `{"party": [ {"name": "a"} , {"name": "b", "name": "c"} ]}`, `The field "name" stands there twice.`},
		{"another letter case within", `{"guest": {"NAME": "a"}}`, `The body has no field "NAME"; did you mean "name"?`},
		{"twice", `{"dish": "soup", "hot": true, "dish": "tea"}`, `The field "dish" stands there twice.`},
		{"twice, once escaped", `{"dish": "soup", "d\u0069sh": "tea"}`, `The field "dish" stands there twice.`},
		{"twice within", `{"guest": {"name": "a", "name": "b"}}`, `The field "name" stands there twice.`},
		{"twice in a map", `{"notes": {"a": "1", "b": "2", "a": "3"}}`, `The field "a" stands there twice.`},

		{"a fraction", `{"count": 1.5}`, "The field count takes a whole number up to 9223372036854775807, not 1.5."},
		{"an exponent", `{"count": 1e3}`, "The field count takes a whole number up to 9223372036854775807, not 1e3."},
		{"too large", `{"count": 9223372036854775808}`, "The field count takes a whole number up to 9223372036854775807, not 9223372036854775808."},
		{"a string for a number", `{"count": "3"}`, "The field count takes a whole number up to 9223372036854775807, not a string."},
		{"a number for a string", `{"dish": 3}`, "The field dish takes a string, not a number."},
		{"a list for a string", `{"guest": {"name": []}}`, "The field guest.name takes a string, not a list."},
		{"a bool for an object", `{"guest": true}`, "The field guest takes an object, not true or false."},
		{"a string for a list", `{"raw": "x"}`, "The field raw takes a list, not a string."},
		{"an object for a bool", `{"hot": {}}`, "The field hot takes true or false, not an object."},
	} {
		t.Run(c.name, func(t *testing.T) {
			var into order
			got := ""
			if err := Decode([]byte(c.text), &into); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("%s\ngot  %s\nwant %s", c.text, got, c.want)
			}
		})
	}
}

// What is not refused reads as encoding/json reads it, and nothing panics.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{"dish": "a", "guest": {"name": "b"}, "party": [{"name": ""}], "notes": {"c": "d"}, "raw": [[{}], null, "\\\""]}`, `{"DISH": 1}`, `null`, ` [ ] `, `{"notes":{"":""}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var strict, lax order
		if err := Decode([]byte(text), &strict); err != nil {
			if !strings.HasPrefix(err.Error(), "The ") {
				t.Errorf("%q: %v is not a sentence", text, err)
			}
			return
		}
		if err := json.Unmarshal([]byte(text), &lax); err != nil {
			t.Fatalf("%q passes here, and encoding/json says %v", text, err)
		}
		a, _ := json.Marshal(strict)
		b, _ := json.Marshal(lax)
		if string(a) != string(b) {
			t.Errorf("%q is %s here and %s there", text, a, b)
		}
	})
}
