package rewritetest_test

import (
	"image"
	"math"
)

// outer is the smallest window of whole pixels around a box.
func outer(x0, y0, x1, y1 float64) image.Rectangle {
	const far = 1 << 30
	in := func(v float64) int { return int(max(-far, min(far, v))) }
	return image.Rect(in(math.Floor(x0)), in(math.Floor(y0)), in(math.Ceil(x1)), in(math.Ceil(y1)))
}
