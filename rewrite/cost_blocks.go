package rewrite

import (
	"image"

	"github.com/rewarp/rewarp/ast"
)

// blocksOf is how many blocks of a level of l any of the windows touches, 0 where
// the block size is not known.
func blocksOf(l *ast.Load, windows []image.Rectangle) float64 {
	b := l.BlockSize()
	if b.W < 1 || b.H < 1 {
		return 0
	}
	var touched []image.Rectangle // in blocks
	for _, w := range windows {
		if !w.Empty() {
			touched = append(touched, image.Rect(w.Min.X/b.W, w.Min.Y/b.H, (w.Max.X-1)/b.W+1, (w.Max.Y-1)/b.H+1))
		}
	}
	count := 0.0
	for i, t := range touched {
		count += apart(t, touched[:i])
	}
	return count
}

// apart is the area of r outside of others.
func apart(r image.Rectangle, others []image.Rectangle) float64 {
	for i, o := range others {
		o = o.Intersect(r)
		if o.Empty() {
			continue
		}
		rest := others[i+1:]
		return apart(image.Rect(r.Min.X, r.Min.Y, r.Max.X, o.Min.Y), rest) +
			apart(image.Rect(r.Min.X, o.Max.Y, r.Max.X, r.Max.Y), rest) +
			apart(image.Rect(r.Min.X, o.Min.Y, o.Min.X, o.Max.Y), rest) +
			apart(image.Rect(o.Max.X, o.Min.Y, r.Max.X, o.Max.Y), rest)
	}
	return float64(r.Dx()) * float64(r.Dy())
}
