package oracle

import (
	"context"
	"fmt"
	"image"
	"math"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// Reader reads the samples of loads.
type Reader interface {
	// ReadWindow returns one band of the window of a stored level, 0 being full
	// resolution, in its stored type. Samples that the file's own mask marks
	// invalid are 0 in the buffer's Mask, or NaN in a float buffer; comparing
	// with the nodata value is left to the caller.
	ReadWindow(ctx context.Context, load *ast.Load, level int, window image.Rectangle, band int) (*raster.Buffer, error)
}

// DefaultMaxSamples is the bound on samples when Options leave it out.
const DefaultMaxSamples = 1 << 28

// Options bound an evaluation. The zero Options are the defaults.
type Options struct {
	// MaxSamples bounds the samples, of 8 bytes, that are held at any one time.
	// Zero is DefaultMaxSamples.
	MaxSamples int64
}

// Result is an evaluated canvas.
type Result struct {
	Size   geom.Size
	Bands  []ast.Band
	Values []float64 // row-major h×w×bands, NaN where invalid
}

// At is the value at column x, row y of a band, NaN where it is invalid.
func (r *Result) At(x, y, band int) float64 {
	return r.Values[(y*r.Size.W+x)*len(r.Bands)+band]
}

// Buffer rounds the values, once, to a type. Invalid is NaN in a float buffer.
// In an integer buffer it is the band's nodata value, or 0 if none is declared,
// and the buffer has a mask even where all is valid.
func (r *Result) Buffer(t raster.DataType) *raster.Buffer {
	b := raster.New(t, r.Size.W, r.Size.H, len(r.Bands))
	b.EnsureMask()
	for y := range r.Size.H {
		for x := range r.Size.W {
			for i, band := range r.Bands {
				if v := r.At(x, y, i); v == v {
					b.Set(x, y, i, v)
				} else if band.HasNoData {
					b.SetInvalid(x, y, i, band.NoData)
				} else {
					b.SetInvalid(x, y, i, 0)
				}
			}
		}
	}
	return b
}

// run is one evaluation under way.
type run struct {
	ctx    context.Context
	reader Reader
	limit  int64 // samples that may be held
	held   int64
}

// hold counts n samples in, or fails.
func (r *run) hold(op string, n int64) error {
	if r.held+n > r.limit {
		return &ast.Error{Op: op, Arg: "canvas", Limit: fmt.Sprintf("needs %d samples besides the %d held, the limit is %d", n, r.held, r.limit)}
	}
	r.held += n
	return nil
}

// evaluate computes the grid of every band of n and interleaves them.
func evaluate(ctx context.Context, n ast.Node, reader Reader, opts Options, band func(int) (*grid, error)) (*Result, error) {
	if !n.Known() {
		return nil, &ast.Error{Op: n.Op(), Arg: "canvas", Limit: "is unknown until the tree is prepared"}
	}
	r := &run{ctx: ctx, reader: reader, limit: opts.MaxSamples}
	if r.limit == 0 {
		r.limit = DefaultMaxSamples
	}
	bands := n.NumBands()
	res := &Result{Size: n.Size(), Bands: make([]ast.Band, bands)}
	if err := r.hold(n.Op(), samples(res.Size, bands)); err != nil {
		return nil, err
	}
	grids := make([]*grid, bands)
	for i := range grids {
		g, err := band(i)
		if err != nil {
			return nil, err
		}
		g.uses++
		grids[i], res.Bands[i] = g, n.Band(i)
	}
	res.Values = make([]float64, res.Size.W*res.Size.H*bands)
	for i, g := range grids {
		if err := g.compute(r); err != nil {
			return nil, err
		}
		for k, v := range g.v {
			res.Values[k*bands+i] = v
		}
		g.release(r)
	}
	return res, nil
}

func count(s geom.Size) int64 { return int64(s.W) * int64(s.H) }

// samples is count times the bands, or what no limit allows.
func samples(s geom.Size, bands int) int64 {
	n := count(s)
	if n > math.MaxInt64/4/int64(max(1, bands)) {
		return math.MaxInt64 / 4
	}
	return n * int64(bands)
}
