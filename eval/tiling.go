package eval

import (
	"image"

	"github.com/rewarp/rewarp/ast/geom"
)

// tiling is how a window is cut for a run.
type tiling struct {
	rect   image.Rectangle
	tile   geom.Size
	offset image.Point // of the first tile's corner, left and above rect's
	cols   int
	total  int64
}

// cut tiles a window: as the session was told, else so that all threads have
// work, and where samples are only copied along the cells of the source.
func (p *Plan) cut(w image.Rectangle) tiling {
	t := tiling{rect: w, tile: p.s.tile}
	threads := p.s.threads
	switch f := p.strips; {
	case p.s.tile != (geom.Size{}):
	case f != nil && threads == 1:
		t.tile = geom.Size{W: w.Dx(), H: w.Dy()}
	case f != nil:
		by, _ := p.root.parts[0].grid.(*source).place.straight()
		at := w.Min.Y + by.Y + p.root.parts[0].shift.Y
		rows := multiple(f.cell.H, ceilDiv(w.Dy(), 2*threads))
		t.tile = geom.Size{W: w.Dx(), H: rows}
		t.offset.Y = at - floorDiv(at, f.cell.H)*f.cell.H
	default:
		t.tile = geom.Size{W: 512, H: 512}
		// Each part of a concat goes over the whole tile, which should stay in
		// the cache for the next.
		if n := len(p.root.parts); n > 1 && p.root.bands*p.Type().Size()*512*512 > 1<<20 {
			t.tile = geom.Size{W: 256, H: 256}
		}
		for threads > 1 && t.tile.W > 128 && ceilDiv(w.Dx(), t.tile.W)*ceilDiv(w.Dy(), t.tile.H) < 3*threads {
			t.tile.W, t.tile.H = t.tile.W/2, t.tile.H/2
		}
	}
	t.count()
	return t
}

func (t *tiling) count() {
	t.cols = ceilDiv(t.rect.Dx()+t.offset.X, t.tile.W)
	t.total = int64(t.cols) * int64(ceilDiv(t.rect.Dy()+t.offset.Y, t.tile.H))
}

// at is the i-th tile, row by row.
func (t *tiling) at(i int64) image.Rectangle {
	x, y := int(i%int64(t.cols))*t.tile.W, int(i/int64(t.cols))*t.tile.H
	return image.Rect(x, y, x+t.tile.W, y+t.tile.H).Add(t.rect.Min).Sub(t.offset).Intersect(t.rect)
}
