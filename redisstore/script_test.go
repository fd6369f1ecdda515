package redisstore_test

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/weirhq/weir/redisstore"
)

// Every file is part of a script, no script keeps a comment, and both load.
func TestScriptsLoad(t *testing.T) {
	server := sharedServer(t)
	used := map[string]bool{}
	for _, name := range []string{"driver", "refund"} {
		used[name+".lua"] = true
		body := redisstore.Assemble(name)
		if strings.Contains(body, "--") {
			t.Errorf("%s keeps a comment or a place to fill", name)
		}
		if sha := server.Do("script", "load", body); len(sha) != 40 {
			t.Errorf("%s: %s", name, sha)
		}
	}
	for _, file := range redisstore.ScriptFiles() {
		part := redisstore.Assemble(strings.TrimSuffix(file, ".lua"))
		if !used[file] && !strings.Contains(redisstore.Assemble("driver"), part) {
			t.Errorf("%s is in no script", file)
		}
	}
}

// mul_div is exact up to the ends of its range: every intermediate is below 2^53,
// or a digit would be wrong. 255·c is the largest there is, and c < 2^45.
func TestMulDivIsExact(t *testing.T) {
	server, r := sharedServer(t), randomness(t)
	script := redisstore.Assemble("arithmetic") + `
local out = {}
for i = 17, #ARGV[1], 24 do
  ma, mb, mc = unpack('<ddd', ARGV[1], i)
` + redisstore.Assemble("mul-div") + `
  local q, rest = mq, mr
  out[#out + 1] = string.format('%.0f %.0f', q, rest)
end
return out`
	var cases [][3]int64
	for range rounds(3000) {
		c := 1 + magnitude(r, 45)
		cases = append(cases, [3]int64{min(c, magnitude(r, 45)), magnitude(r, 53), c})
	}
	for _, c := range []int64{1, 2, 1<<45 - 1, 1<<45 - 2} {
		for _, b := range []int64{0, 1, 1<<53 - 1, 1<<52 + 1} {
			cases = append(cases, [3]int64{c, b, c}, [3]int64{c - 1, b, c}, [3]int64{0, b, c})
		}
	}
	arg := binary.LittleEndian.AppendUint64(make([]byte, 8), math.Float64bits(1)) // the instant, the margin
	for _, c := range cases {
		for _, v := range c {
			arg = binary.LittleEndian.AppendUint64(arg, math.Float64bits(float64(v)))
		}
	}
	lines := strings.Split(server.Do("eval", script, "0", string(arg)), "\n")
	if len(lines) != len(cases) {
		t.Fatalf("%d answers to %d", len(lines), len(cases))
	}
	for i, c := range cases {
		product := new(big.Int).Mul(big.NewInt(c[0]), big.NewInt(c[1]))
		q, rest := new(big.Int).QuoRem(product, big.NewInt(c[2]), new(big.Int))
		if want := q.String() + " " + rest.String(); lines[i] != want {
			t.Errorf("mul_div(%d, %d, %d) is %s, want %s", c[0], c[1], c[2], lines[i], want)
		}
	}
}

// magnitude is below 2^bits, as likely small as large, and often just below a
// power of two.
func magnitude(r *rand.Rand, bits int) int64 {
	most := int64(1) << (1 + r.IntN(bits))
	if r.IntN(4) == 0 {
		return most - 1 - r.Int64N(2)
	}
	return r.Int64N(most)
}

// A number becomes text in Lua with 14 digits only: no script lets one.
func TestScriptsNeverTurnNumbersIntoText(t *testing.T) {
	for _, name := range []string{"driver", "refund"} {
		body := redisstore.Assemble(name)
		if strings.Contains(body, "tostring") {
			t.Errorf("%s calls tostring", name)
		}
		for line := range strings.Lines(body) {
			line = strings.ReplaceAll(line, "begun .. reply", "two texts")
			left, right, found := strings.Cut(line, "..")
			if found && !strings.Contains(left+right, "pack(") {
				t.Errorf("%s: %s", name, strconv.Quote(line))
			}
		}
	}
}
