package report

import "regexp"

// reasons say what limits rewarp where it falls short of a goal, by the cases'
// names. The first that fits holds; they come from profiles, see docs/benchmarks.md for the figures.
var reasons = []struct {
	cases *regexp.Regexp
	text  string
}{
	{regexp.MustCompile(`^engine/build/`), "Allocating: one object a node, 35 to 50 ns of some 100 a node with its share of collecting."},
	{regexp.MustCompile(`^engine/optimize/`), "A third is allocating and collecting the new nodes; the rest is spread over clipping domains and the conditions of rules."},
	{regexp.MustCompile(`^engine/(same-)?again/`), "One indirect call and one load of the mark; the goal for the smallest tree is the time of a load."},
	{regexp.MustCompile(`^b/deflate/|^c/overview|^c/thumbnail/deflate`), "Inflating the blocks, by the same libdeflate as GDAL: over 70 % of the time."},
	{regexp.MustCompile(`^b/plain/`), "Reading from the system's cache and copying out of blocks; little else is left."},
	{regexp.MustCompile(`^c/thumbnail/overviews`), "Opening the file and describing it, which is most of so small a read."},
	{regexp.MustCompile(`^a/.*/cold`), "Opening the file, which GDAL does for both."},
	{regexp.MustCompile(`^c/0\.37/`), "Adding up taps in float32; its peers add in 16 or 32 bit integers, four lanes for one."},
	{regexp.MustCompile(`^d/`), "Weighing rows in float32; OpenCV weighs bytes in 16 bit integers, with a larger error."},
	{regexp.MustCompile(`^e/nearest/`), "Computing positions that stay exact, and one gather a pixel."},
	{regexp.MustCompile(`^e/linear/`), "Gathering the neighbours of each pixel, which limits OpenCV as well."},
	{regexp.MustCompile(`^g/`), "Dividing in float64, for positions that stay exact to 1e-7 of a pixel; OpenCV divides in float32."},
}

// reason is what is known to limit a case.
func reason(id string) string {
	for _, r := range reasons {
		if r.cases.MatchString(id) {
			return r.text
		}
	}
	return "Not known yet."
}
