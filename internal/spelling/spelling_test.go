package spelling

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	commands := []string{"dump", "explain", "eval", "rules", "info", "bench"}
	for word, want := range map[string]string{
		"dmup": "dump", "dum": "dump", "EXPLIAN": "explain", "explane": "explain", "ev": "eval", "inof": "info",
		"": "", "x": "", "frobnicate": "", "bnch": "bench", "rulezz": "rules", strings.Repeat("e", 65): "",
	} {
		if got := Nearest(word, commands); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
	if got := Nearest("nír", []string{"nir", "red"}); got != "nir" {
		t.Errorf("one letter with an accent: %q", got)
	}
	if got := Nearest("abc", []string{strings.Repeat("a", 65)}); got != "" {
		t.Errorf("a long candidate: %q", got)
	}
}

func TestEdits(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "abc", 3}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abcd", "badc", 2}, {"kitten", "sitting", 3}, {"ca", "abc", 3}} {
		if got, back := edits([]rune(c.a), []rune(c.b)), edits([]rune(c.b), []rune(c.a)); got != c.want || back != c.want {
			t.Errorf("%q to %q: %d, and %d back, want %d", c.a, c.b, got, back, c.want)
		}
	}
}
