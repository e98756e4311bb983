package rewrite

import (
	"cmp"
	"image"
	"slices"

	"github.com/rewarp/rewarp/ast"
)

// leafReads are the windows that a tree reads of stored levels.
type leafReads map[levelKey]*levelReads

type levelKey struct {
	uri   string
	level int
}

// levelReads are those of one level of one file.
type levelReads struct {
	byBand [][]image.Rectangle
	blocks []image.Rectangle // of the windows, counted in blocks
}

// add takes in a window of some bands, nil for all, and returns what it costs
// beyond what was read before: every sample counts once, and every block once
// for all bands.
func (r leafReads) add(l *ast.Load, level int, w image.Rectangle, bands []int) Cost {
	k := levelKey{l.URI(), level}
	v := r[k]
	if v == nil {
		v = &levelReads{}
		r[k] = v
	}
	var c Cost
	take := func(band int) {
		for len(v.byBand) <= band {
			v.byBand = append(v.byBand, nil)
		}
		c.Read += fresh(w, v.byBand[band])
		v.byBand[band] = append(v.byBand[band], w)
	}
	for i := range l.NumBands() {
		if bands == nil {
			take(i)
		}
	}
	for _, k := range bands {
		take(k)
	}
	if b := l.BlockSize(); b.W > 0 && b.H > 0 && !w.Empty() {
		blocks := image.Rect(w.Min.X/b.W, w.Min.Y/b.H, (w.Max.X-1)/b.W+1, (w.Max.Y-1)/b.H+1)
		c.Blocks = fresh(blocks, v.blocks)
		v.blocks = append(v.blocks, blocks)
	}
	return c
}

// fresh is the number of pixels of a window that lie in none of those before.
func fresh(w image.Rectangle, before []image.Rectangle) float64 {
	var common []image.Rectangle
	for _, o := range before {
		if o = o.Intersect(w); !o.Empty() {
			common = append(common, o)
		}
	}
	return area(w) - unionArea(common)
}

func area(w image.Rectangle) float64 { return float64(w.Dx()) * float64(w.Dy()) }

// unionArea is the number of pixels that lie in any of the windows.
func unionArea(windows []image.Rectangle) float64 {
	switch len(windows) {
	case 0:
		return 0
	case 1:
		return area(windows[0])
	}
	slices.SortFunc(windows, func(a, b image.Rectangle) int { return cmp.Compare(a.Min.Y, b.Min.Y) })
	xs := make([]int, 0, 2*len(windows))
	for _, w := range windows {
		xs = append(xs, w.Min.X, w.Max.X)
	}
	slices.Sort(xs)
	xs = slices.Compact(xs)
	sum := 0.0
	for i := 1; i < len(xs); i++ {
		rows, below := 0, windows[0].Min.Y // covered between the two columns, and where the next may begin
		for _, w := range windows {
			if w.Min.X > xs[i-1] || w.Max.X < xs[i] {
				continue
			}
			rows += max(0, w.Max.Y-max(below, w.Min.Y))
			below = max(below, w.Max.Y)
		}
		sum += float64(rows) * float64(xs[i]-xs[i-1])
	}
	return sum
}
