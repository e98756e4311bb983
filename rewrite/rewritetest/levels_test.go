package rewritetest

import (
	"testing"

	"github.com/rewarp/rewarp/ast"
)

// A level that was averaged without a dequantize's nodata value may not be
// read in the place of a finer one.
func TestForeignAverages(t *testing.T) {
	const (
		full   = `(dequantize float32 0..255 -> 0..1 nodata=7 (warp scale=0.5 (load a 8x8 uint8 nodata=0 overviews=[4x4])))`
		level  = `(dequantize float32 0..255 -> 0..1 nodata=7 (warp scale=1 (overview 1 (load a 8x8 uint8 nodata=0 overviews=[4x4]))))`
		agreed = `(dequantize float32 0..255 -> 0..1 nodata=0 (crop [0 0 4 4] (overview 1 (load a 8x8 uint8 nodata=0 overviews=[4x4]))))`
		none   = `(dequantize float32 0..255 -> 0..1 (overview 1 (load a 8x8 uint8 nodata=0 overviews=[4x4])))`
	)
	for _, c := range []struct {
		before, after string
		foreign       bool
	}{
		{full, level, true},
		{`(concat (fill 4x4 uint8 value=1) ` + full + `)`, `(concat (fill 4x4 uint8 value=1) ` + level + `)`, true},
		{level, level, false},
		{full, full, false},
		{full, agreed, false},
		{full, none, false},
	} {
		before, err := ast.ParseExpr(c.before)
		if err != nil {
			t.Fatal(err)
		}
		after, err := ast.ParseExpr(c.after)
		if err != nil {
			t.Fatal(err)
		}
		if got := readsForeignAverages(before, after); got != c.foreign {
			t.Errorf("%s to %s: %v", c.before, c.after, got)
		}
	}
}
