//go:build peers

package peertest

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rewarp/rewarp/gdalio"
)

// row is a comparison with what was measured.
type row struct {
	comparison
	inner, all difference
}

func (c comparison) title() string {
	if c.isPython() {
		return c.call + " " + c.how
	}
	return "-r " + c.how + strings.TrimSuffix(" "+strings.Join(c.options, " "), " ")
}

const intro = `# Against GDAL, OpenCV and SciPy

<!-- Written by make oracle-peers. -->

Values and masks of rewarp beside those of programs that nobody here wrote, for one warp each: GDAL %s,
OpenCV %s and SciPy %s. *Inside* are the pixels whose kernel meets neither the edge of the source nor an invalid sample.
Differences are in percent of the range of the source's values; a value counts as differing above 0.01 %%, and masks
differ where one has a value and the other has none. Every row is held to a bound by the test that writes this page.
Where a row differs on purpose, the last column names the reason, which [semantics](semantics.md#against-other-programs)
explains; no reason means that both mean the same, and rounding to float32 is all that is left.

`

// report prints the table and writes docs/peers.md.
func report(t testing.TB, rows []row, versions map[string]string) {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, intro, gdalio.Version(), versions["OpenCV"], versions["SciPy"])
	peer := ""
	for _, r := range rows {
		if r.inner.within(same) && r.all.within(same) {
			r.why = "" // some releases agree
		}
		if r.peer != peer {
			peer = r.peer
			fmt.Fprintf(&b, "\n## %s\n\n| call | rewarp | source | warp | inside: mean | max | differing | masks | everywhere: mean | max | differing | masks | why |\n", peer)
			b.WriteString("|---|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|\n")
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %s |\n", r.title(), r.sampling, r.source, r.what, r.inner, r.all, links(r.why))
	}
	fmt.Print(b.String())
	if err := os.WriteFile("../../docs/peers.md", []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

// links points each reason to its heading.
func links(why string) string {
	var all []string
	for reason := range strings.SplitSeq(why, "; ") {
		if reason != "" {
			all = append(all, fmt.Sprintf("[%s](semantics.md#%s)", reason, strings.ReplaceAll(reason, " ", "-")))
		}
	}
	return strings.Join(all, "; ")
}

// String is the cells of the table.
func (d difference) String() string {
	if d.pixels == 0 {
		return "– | – | – | –"
	}
	return fmt.Sprintf("%s | %s | %s | %s", percent(d.mean), percent(d.max), percent(d.share), percent(d.masks))
}

func percent(v float64) string {
	switch {
	case v < 1e-6:
		return "0"
	case v < 0.001:
		return "<0.001"
	case v < 1:
		return fmt.Sprintf("%.3f", v)
	}
	return fmt.Sprintf("%.1f", v)
}
