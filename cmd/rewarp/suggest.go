package main

import (
	"fmt"
	"strings"
)

// didYouMean is "; did you mean …?" with the nearest candidate, or "".
func didYouMean(word string, candidates []string) string {
	if best := nearest(word, candidates); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}

// nearest is the candidate that begins with the word, or else takes the fewest
// edits, at most a third of the word and one more. Of equals it is the first.
func nearest(word string, candidates []string) string {
	word = strings.ToLower(word)
	if len(word) > 1 {
		for _, c := range candidates {
			if strings.HasPrefix(strings.ToLower(c), word) {
				return c
			}
		}
	}
	best, least := "", len(word)/3+2
	for _, c := range candidates {
		if d := edits(word, strings.ToLower(c)); d < least {
			best, least = c, d
		}
	}
	return best
}

// edits is the least number of insertions, deletions, substitutions and swaps
// of neighbours that turn a into b.
func edits(a, b string) int {
	s, t := []rune(a), []rune(b)
	before, last, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(s); i++ {
		row[0] = i
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(t)]
}
