package rewritetest

import (
	"github.com/rewarp/rewarp/ast"
)

// readsForeignAverages reports whether after reads a stored level, coarser than
// before does, whose samples were averaged without the nodata value that a
// dequantize above declares. No rule may do that; an order of firings that
// chooses the level before the dequantize arrives at the warp does.
func readsForeignAverages(before, after ast.Node) bool {
	for band := range after.NumBands() {
		r := readOf(after, band)
		if r.load == nil || r.level == 0 || r.quant == nil || !r.quant.HasNoData {
			continue
		}
		if b := r.load.Band(r.band); b.HasNoData && b.NoData == r.quant.NoData {
			continue
		}
		if readOf(before, band).level < r.level {
			return true
		}
	}
	return false
}

// bandRead is what a band reads of a file.
type bandRead struct {
	load  *ast.Load // nil where the band ends in something else
	level int
	band  int
	quant *ast.Quantization // of a dequantize on the way
}

func readOf(n ast.Node, band int) bandRead {
	var r bandRead
	for {
		switch t := n.(type) {
		case *ast.Load:
			r.load, r.band = t, band
			return r
		case *ast.Overview:
			if t.Stored() {
				r.level = t.Level()
			}
		case *ast.Dequantize:
			q := t.Quantization()
			r.quant = &q
		}
		in, at, ok := ast.BandInput(n, band)
		if !ok {
			return r
		}
		n, band = in, at
	}
}
