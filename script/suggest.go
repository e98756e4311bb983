package script

import "github.com/rewarp/rewarp/internal/spelling"

// didYouMean is a question about the candidate that a name comes closest to, or
// nothing.
func didYouMean(name string, candidates []string) string {
	if best := spelling.Nearest(name, candidates); best != "" {
		return " (did you mean " + best + "?)"
	}
	return ""
}
