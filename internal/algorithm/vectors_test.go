package algorithm_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weirhq/weir/internal/algorithm"
	"github.com/weirhq/weir/internal/algorithm/vectors"
)

var fill = flag.Bool("fill", false, "write the model's answer in place of each ? in vectors/NAME.txt")

func TestVectors(t *testing.T) {
	for _, kind := range vectors.Kinds() {
		t.Run(vectors.Name(kind), func(t *testing.T) {
			if *fill {
				fillIn(t, kind)
			}
			t.Run("code", func(t *testing.T) {
				vectors.Run(t, kind, func(*testing.T) vectors.Key { return vectorKey{newKey(kind)} })
			})
			t.Run("model", func(t *testing.T) {
				vectors.Run(t, kind, func(*testing.T) vectors.Key { return &vectorModel{newModel(kind)} })
			})
		})
	}
}

// The two buckets are one rule under two names, and so are their files: what one
// says must hold for the other.
func TestBucketVectorsHoldForBoth(t *testing.T) {
	for _, c := range vectors.Load(t, algorithm.TokenBucket) {
		c.Run(t, algorithm.GCRA, vectorKey{newKey(algorithm.GCRA)})
	}
	for _, c := range vectors.Load(t, algorithm.GCRA) {
		c.Run(t, algorithm.TokenBucket, vectorKey{newKey(algorithm.TokenBucket)})
	}
}

// fillIn never touches an answer that is there. Idle lines, which the model does
// not know, are answered by the code.
func fillIn(t *testing.T, kind algorithm.Kind) {
	path := filepath.Join("vectors", vectors.Name(kind)+".txt")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	for _, c := range vectors.Load(t, kind) {
		answers, err := c.Answers(kind, &vectorModel{newModel(kind)})
		if err != nil {
			t.Fatal(err)
		}
		code, _ := c.Answers(kind, vectorKey{newKey(kind)})
		for i, s := range c.Steps {
			if !s.Unknown {
				continue
			}
			answer := answers[i]
			if s.Op == vectors.Idle {
				answer = code[i]
			}
			call, rest, _ := strings.Cut(lines[s.Line-1], ":")
			lines[s.Line-1] = call + ":" + strings.Replace(rest, "?", answer.Format(s.Op), 1)
		}
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
}
