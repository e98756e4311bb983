package script

import "strings"

// didYouMean is a question about the candidate that a name comes closest to,
// within a third of its length in edits, or nothing.
func didYouMean(name string, candidates []string) string {
	const longest = 40
	if len(name) > longest {
		return ""
	}
	best, limit := "", max(1, len(name)/3)+1
	for _, c := range candidates {
		if len(c) <= longest {
			if d := edits(strings.ToLower(name), strings.ToLower(c)); d < limit {
				best, limit = c, d
			}
		}
	}
	if best == "" {
		return ""
	}
	return " (did you mean " + best + "?)"
}

// edits counts insertions, deletions and replacements.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			d := diagonal
			if a[i] != b[j] {
				d++
			}
			diagonal = row[j+1]
			row[j+1] = min(d, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
