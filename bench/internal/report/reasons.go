package report

import "regexp"

// reasons say what profiles of rewarp showed to take the time where it falls short of a goal, by the cases' names.
// The first that fits holds.
var reasons = []struct {
	cases *regexp.Regexp
	text  string
}{
	{regexp.MustCompile(`^engine/build/`), "Allocating and collecting, one object a node, is 60 %; checking and inverting the matrix of each warp most of the rest."},
	{regexp.MustCompile(`^engine/optimize/`), "A quarter is allocating and collecting new nodes; a tenth marking them, and looking at them once more; the rest is spread over domains, matrices and the conditions of rules."},
	{regexp.MustCompile(`^engine/(same-)?again/`), "One call and one load, some seven cycles: Go inlines no function that calls another one besides."},
	{regexp.MustCompile(`^throughput/`), "No lock: the collector, which has a small heap to collect all the time, and takes the other core for that where one rewrites. With GOGC=400 it is 1.80 to 1.96 times, without a collector 1.99."},
	{regexp.MustCompile(`^b/deflate/|^c/overview|^c/thumbnail/deflate`), "Inflating, four blocks in turns, is 60 to 75 %: a symbol takes 4 to 5 cycles. ISA-L 2.30 takes 1.2 times as long as libdeflate, and a newer libdeflate as long as 1.14."},
	{regexp.MustCompile(`^b/plain/2048`), "Half is the system copying blocks out of its cache, 40 % copying their rows to their places. One preadv for both takes 0.8 times as long, a map that stays 0.65 times."},
	{regexp.MustCompile(`^b/plain/`), "The system copying out of its cache, and where the file is opened anew a third for that."},
	{regexp.MustCompile(`^c/0\.37/`), "Over half is the sum over taps along rows, three products of bytes for four of them; OpenCV takes 2 or 4 taps where 6 or 11 are asked for."},
	{regexp.MustCompile(`^c/thumbnail/overviews|^a/.*/cold`), "One block, which has no other to be inflated in turns with: libdeflate takes 50 to 60 %."},
	{regexp.MustCompile(`^d/.*/float32`), "Storing the output: filling as much memory with a constant takes four fifths of the time."},
	{regexp.MustCompile(`^d/`), "The sum of rows and storing it, 83 %: two or four products and a conversion to bytes for each sample."},
	{regexp.MustCompile(`^e/cubic/.*x1$`), "Loading the taps of each pixel from four rows is half; weights are a tenth, and so is fetching floats ahead."},
	{regexp.MustCompile(`^e/linear/uint8x1`), "Interpolating is 44 %, most of it two gathers for each vector of pixels; positions are 12 %, and what is done once for 256 pixels most of the rest."},
	{regexp.MustCompile(`^e/linear/uint8x4`), "Interpolating is 34 %, a third of it gathering; fetching samples ahead is 11 %, positions are 8 %, writing the output and its mask, which OpenCV has not, 7 %."},
	{regexp.MustCompile(`^e/linear/uint16x4`), "Positions, interpolating in float32 and fetching ahead are one loop, 80 %, four fifths of which it takes on samples in the nearest caches too; writing the mask, which OpenCV has not, is 4 %, rows that end within a block 3 %."},
	{regexp.MustCompile(`^e/linear/float32x1$`), "Interpolating, by four gathers for 16 pixels, is a third; fetching samples ahead is 14 %, positions are 9 %, looking for NaN is 5 %."},
	{regexp.MustCompile(`^e/linear/float32x13`), "Interpolating, from and to 218 MB each, is 56 %; fetching samples ahead is 13 %, looking for NaN 7 %."},
	{regexp.MustCompile(`^e/nearest/uint8x1`), "Gathers whose lines come from the second cache are 60 %: rows a power of two apart share few places of the first. A fifth is per row of 256 pixels: positions, calls, validity."},
	{regexp.MustCompile(`^e/nearest/float32x13`), "Memory: a core reads and writes 370 MB at 10 GB/s, the source's lines 65 % of the time, the output past the caches the rest."},
	{regexp.MustCompile(`^e/nearest/`), "Waiting for the source's lines from memory is 65 to 75 %: a core has 16 under way at a time, those of output and validity, written past the caches, among them."},
	{regexp.MustCompile(`^e/cubic/float32x3`), "Summing the taps of four rows is 59 %, weights 7 %, fetching samples ahead 7 %, positions 4 %."},
	{regexp.MustCompile(`^g/`), "Projecting positions in float64, with a division each, is 23 %."},
	{regexp.MustCompile(`^h/`), "Interpolating is 25 %, most of it two gathers for each vector of pixels; positions and reading are 15 % each, interleaving the bands and their validity, which OpenCV does not tell, 12 %, and what is done once for 256 pixels of a band most of the rest."},
}

// reason is what is known to limit a case.
func reason(id string) string {
	for _, r := range reasons {
		if r.cases.MatchString(id) {
			return r.text
		}
	}
	return "Not profiled by itself yet."
}
