package eval

import (
	"image"
	"math"
	"time"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
)

// isPlain reports whether a part only copies stored samples to whole pixels of
// a view of the same type, so that no kernel is needed.
func (p *part) isPlain(typ raster.DataType) bool {
	g, ok := p.grid.(*source)
	if !ok || !p.whole || p.domain != nil || p.mul != nil || g.typ != typ {
		return false
	}
	if _, fill := g.leaf.(*ast.Fill); fill {
		return false
	}
	_, straight := g.place.straight()
	return straight
}

// copyPlain copies the pixels r of the view from where they are stored.
func (x *exec) copyPlain(p *part, r image.Rectangle, dst *raster.Buffer, origin image.Point, depth int) error {
	start, before := x.clock(), x.count
	g := p.grid.(*source)
	by, _ := g.place.straight()
	by = by.Add(p.shift)
	to := placedRect{dst: dst, at: origin.Add(by), r: r.Add(by), bands: p.bands}
	if l, ok := g.leaf.(*ast.Raster); ok {
		to.paste(l.Buffer(), l.Buffer().Bounds(), g.bands)
	} else if past, err := x.pastCache(g.load, to.r); err != nil {
		return err
	} else if past {
		if err := x.readPlain(g.load, &to, depth); err != nil {
			return err
		}
	} else if err := x.pasteCells(g.load, &to); err != nil {
		return err
	}
	p.settle(dst, r.Sub(origin), g.mask)
	if c := x.step(p.key); c != nil {
		reading := x.count.Read - before.Read
		x.readStep(g, before, reading)
		n := int64(r.Dx()) * int64(r.Dy()) * int64(len(p.bands))
		c.add(&StepCount{Work: writes(n, dst.Type), Calls: 1, Time: time.Since(start) - reading})
	}
	return nil
}

// pastCache reports whether a window is better read as it is than by cells that
// are kept: where it is not decoded, and where it would push out what others
// may read again, but not where it is there already.
func (x *exec) pastCache(f *feed, w image.Rectangle) (bool, error) {
	h, err := x.s.sources.use(x.ctx, f.uri)
	if err != nil {
		return false, &ReadError{URI: f.uri, Level: f.level, Window: w, Err: err}
	}
	defer x.s.sources.done(h)
	p, ok := h.src.(Plain)
	large := int64(w.Dx())*int64(w.Dy())*int64(f.typ.Size()*len(f.bands)) > x.s.cache.limit/4
	if ok = ok && p.Plain(f.level); !ok && !large {
		return false, nil
	}
	return !x.s.cache.holds(f, w), nil
}

// pasteCells copies from cached cells.
func (x *exec) pasteCells(f *feed, to *placedRect) error {
	return x.cells(f, to.r, func(b *block) { to.paste(&b.pix, b.window, nil) })
}

// readPlain reads a window as it is: into dst itself where that is all of it.
func (x *exec) readPlain(f *feed, to *placedRect, depth int) error {
	dst := to.dst
	if to.all(len(f.bands)) && to.r == dst.Bounds().Add(to.at) {
		mask := dst.Mask
		err := x.readFeed(x.ctx, f, to.r, dst)
		if dst.Mask == nil && mask != nil {
			for i := range mask {
				mask[i] = 255
			}
			dst.Mask = mask
		}
		return err
	}
	buf := &x.level(depth).file
	buf.pix.Mask = buf.mask
	err := x.readFeed(x.ctx, f, to.r, &buf.pix)
	buf.mask = buf.pix.Mask
	if err != nil {
		return err
	}
	to.paste(&buf.pix, to.r, nil)
	return nil
}

// holds reports whether all cells of a window are cached.
func (c *blockCache) holds(f *feed, w image.Rectangle) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for cy := w.Min.Y / f.cell.H; cy*f.cell.H < w.Max.Y; cy++ {
		for cx := w.Min.X / f.cell.W; cx*f.cell.W < w.Max.X; cx++ {
			if c.blocks[blockKey{f.id, cx, cy}] == nil {
				return false
			}
		}
	}
	return true
}

// placedRect is where samples are copied to: the pixels r of a level, into
// given bands of dst, whose first pixel is the level's pixel at.
type placedRect struct {
	dst   *raster.Buffer
	at    image.Point
	r     image.Rectangle
	bands []int
}

// all reports whether n bands of a source are all of dst's, in order.
func (t *placedRect) all(n int) bool {
	return n == t.dst.Bands && len(t.bands) == n && t.bands[0] == 0 && contiguous(t.bands) == 0
}

// paste copies what src, which covers a window of the level, has of r. Picks
// are src's bands, nil all of them.
func (t *placedRect) paste(src *raster.Buffer, window image.Rectangle, picks []int) {
	r := window.Intersect(t.r)
	if r.Empty() {
		return
	}
	dst, size := t.dst, t.dst.Type.Size()
	same := t.all(src.Bands)
	for i, b := range picks {
		same = same && i == b
	}
	to, from := dst.Bytes(), src.Bytes()
	n := dst.Bands
	for y := r.Min.Y; y < r.Max.Y; y++ {
		d := (y-t.at.Y)*dst.W + r.Min.X - t.at.X
		s := (y-window.Min.Y)*src.W + r.Min.X - window.Min.X
		if same {
			copy(to[d*n*size:(d+r.Dx())*n*size], from[s*n*size:])
			if dst.Mask != nil {
				pasteMask(dst.Mask[d*n:(d+r.Dx())*n], src.Mask, s*n)
			}
			continue
		}
		for i, band := range t.bands {
			k := i
			if picks != nil {
				k = picks[i]
			}
			strided(to, from, d*n+band, s*src.Bands+k, n, src.Bands, r.Dx(), size)
			switch {
			case dst.Mask == nil:
			case src.Mask != nil:
				strided(dst.Mask, src.Mask, d*n+band, s*src.Bands+k, n, src.Bands, r.Dx(), 1)
			default:
				for j := range r.Dx() {
					dst.Mask[(d+j)*n+band] = 255
				}
			}
		}
	}
}

func pasteMask(dst, src []byte, at int) {
	if src != nil {
		copy(dst, src[at:])
		return
	}
	for i := range dst {
		dst[i] = 255
	}
}

// settle marks copied samples invalid that are: nodata, not finite, or masked.
func (p *part) settle(dst *raster.Buffer, r image.Rectangle, masked bool) {
	if !dst.Type.IsFloat() && (dst.Mask == nil || !masked && p.noData == nil) {
		return
	}
	switch dst.Type {
	case raster.Uint8:
		settle[uint8](p, dst, r)
	case raster.Int8:
		settle[int8](p, dst, r)
	case raster.Uint16:
		settle[uint16](p, dst, r)
	case raster.Int16:
		settle[int16](p, dst, r)
	case raster.Uint32:
		settle[uint32](p, dst, r)
	case raster.Int32:
		settle[int32](p, dst, r)
	case raster.Float32:
		settle[float32](p, dst, r)
	default:
		settle[float64](p, dst, r)
	}
}

func settle[T raster.Sample](p *part, dst *raster.Buffer, r image.Rectangle) {
	pix, float := raster.Samples[T](dst), dst.Type.IsFloat()
	for i, band := range p.bands {
		var none [2]T // at most one of the raster and one of a dequantize
		nodata := none[:0]
		if p.noData != nil {
			for _, v := range p.noData[i] {
				if t, ok := storable[T](v); ok && len(nodata) < len(none) {
					nodata = append(nodata, t)
				}
			}
		}
		var invalid T
		if float {
			nan := math.NaN()
			invalid = T(nan)
		} else if p.fill != nil {
			invalid = T(dst.Type.Round(p.fill[i]))
		}
		for y := r.Min.Y; y < r.Max.Y; y++ {
			k := (y*dst.W+r.Min.X)*dst.Bands + band
			for range r.Dx() {
				v := pix[k]
				bad := v-v != 0
				for _, t := range nodata {
					bad = bad || v == t
				}
				if dst.Mask != nil {
					bad = bad || dst.Mask[k] == 0
					dst.Mask[k] = 255
				}
				if bad {
					pix[k] = invalid
					if dst.Mask != nil {
						dst.Mask[k] = 0
					}
				}
				k += dst.Bands
			}
		}
	}
}

// storable is v in the type T; ok is false where no sample can equal it.
func storable[T raster.Sample](v float64) (t T, ok bool) {
	d := raster.TypeOf[T]()
	if lo, hi := d.Range(); !d.IsFloat() && !(v >= lo && v <= hi && v == math.Trunc(v)) {
		return 0, false
	}
	return T(v), v == v
}
