// Package spelling finds the name that somebody may have meant.
package spelling

import "strings"

// longest is the length in bytes up to which names are compared.
const longest = 64

// Nearest is the candidate that begins with the word, or else takes the fewest
// edits, at most a third of the word and at least one; "" where none is near.
// Of equals it is the first. Case does not count.
func Nearest(word string, candidates []string) string {
	if len(word) > longest {
		return ""
	}
	word = strings.ToLower(word)
	if len(word) > 1 {
		for _, c := range candidates {
			if strings.HasPrefix(strings.ToLower(c), word) {
				return c
			}
		}
	}
	best, limit := "", max(1, len(word)/3)+1
	for _, c := range candidates {
		if len(c) > longest {
			continue
		}
		if d := edits([]rune(word), []rune(strings.ToLower(c))); d < limit {
			best, limit = c, d
		}
	}
	return best
}

// edits is the least number of insertions, deletions, substitutions and swaps of
// neighbours that turn a into b, no part of it edited twice.
func edits(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
