package weir

import (
	"slices"
	"strings"
)

// longestWord is the length in bytes above which a text is no misspelt word, and
// is not looked at: it may come from anybody.
const longestWord = 64

// Nearest is the known word that text was probably meant to be, or "" when none
// is near: for the suggestion in an error.
func Nearest(text string, known []string) string {
	if len(text) > longestWord {
		return ""
	}
	known = slices.Sorted(slices.Values(known))
	best, distance := "", 1+len(text)/3
	for _, word := range known {
		if strings.EqualFold(word, text) {
			return word
		}
		if len(word) > len(text)+distance {
			continue
		}
		if d := editDistance(text, word); d < distance || d == distance && best == "" {
			best, distance = word, d
		}
	}
	return best
}

// editDistance is the optimal string alignment distance: insertions, deletions,
// substitutions, and neighbours swapped.
func editDistance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			swap := 1
			if a[i-1] == b[j-1] {
				swap = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+swap)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
