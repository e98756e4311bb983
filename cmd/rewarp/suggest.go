package main

import (
	"fmt"

	"github.com/rewarp/rewarp/internal/spelling"
)

// didYouMean is "; did you mean …?" with the nearest candidate, or "".
func didYouMean(word string, candidates []string) string {
	if best := spelling.Nearest(word, candidates); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}
