package oracle

import (
	"image"
	"math"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

var nan = math.NaN()

// grid is one band of samples on a canvas, NaN where invalid. It is planned
// first, computed when it is first needed, and dropped after its last use.
type grid struct {
	op   string // for errors
	size geom.Size
	v    []float64 // row-major, nil until computed
	uses int       // how many planned users have not yet had it

	inputs []*grid
	fill   func(r *run, g *grid) error // computes v from the inputs'
}

// newGrid plans a grid that is filled from inputs.
func newGrid(op string, size geom.Size, fill func(r *run, g *grid) error, inputs ...*grid) *grid {
	for _, in := range inputs {
		in.uses++
	}
	return &grid{op: op, size: size, fill: fill, inputs: inputs}
}

func (g *grid) compute(r *run) error {
	if g.v != nil {
		return nil
	}
	for _, in := range g.inputs {
		if err := in.compute(r); err != nil {
			return err
		}
	}
	if err := r.hold(g.op, count(g.size)); err != nil {
		return err
	}
	g.v = make([]float64, g.size.W*g.size.H)
	if err := g.fill(r, g); err != nil {
		return err
	}
	for _, in := range g.inputs {
		in.release(r)
	}
	return nil
}

func (g *grid) release(r *run) {
	if g.uses--; g.uses == 0 {
		r.held -= count(g.size)
		g.v = nil
	}
}

// each sets every sample to what at returns for its column and row.
func (g *grid) each(r *run, at func(x, y int) (float64, error)) error {
	i := 0
	for y := range g.size.H {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		for x := range g.size.W {
			v, err := at(x, y)
			if err != nil {
				return err
			}
			g.v[i] = v
			i++
		}
	}
	return nil
}

// at is the sample at column x, row y, NaN outside the canvas.
func (g *grid) at(x, y int) float64 {
	if x < 0 || y < 0 || x >= g.size.W || y >= g.size.H {
		return nan
	}
	return g.v[y*g.size.W+x]
}

// finite is v, or NaN where it is infinite.
func finite(v float64) float64 {
	if math.IsInf(v, 0) {
		return nan
	}
	return v
}

// customs plans the grids of custom nodes. All bands of a node come from one
// evaluation.
type customs map[ast.Custom]*custom

type custom struct {
	inputs [][]*grid // by input and band
	out    *raster.Buffer
	bands  int // planned bands that have not been taken out yet
}

// band plans one band of a custom node, whose inputs' bands are grids.
func (c customs) band(n ast.Custom, band int, input func(in ast.Node, band int) (*grid, error)) (*grid, error) {
	e := c[n]
	if e == nil {
		e = &custom{}
		for i := range n.NumInputs() {
			in := n.Input(i)
			grids := make([]*grid, in.NumBands())
			for b := range grids {
				g, err := input(in, b)
				if err != nil {
					return nil, err
				}
				grids[b] = g
			}
			e.inputs = append(e.inputs, grids)
		}
		c[n] = e
	}
	e.bands++
	var all []*grid
	for _, grids := range e.inputs {
		all = append(all, grids...)
	}
	bands := n.NumBands()
	return newGrid(n.Op(), n.Size(), func(r *run, g *grid) error {
		if e.out == nil {
			if err := e.evaluate(r, n); err != nil {
				return err
			}
		}
		for i := range g.v {
			v := raster.Samples[float64](e.out)[i*bands+band]
			g.v[i] = finite(v)
		}
		if e.bands--; e.bands == 0 {
			r.held -= int64(e.out.Len())
			e.out = nil
		}
		return nil
	}, all...), nil
}

// evaluate runs the node over its whole canvas, as one tile.
func (e *custom) evaluate(r *run, n ast.Custom) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	size := n.Size()
	if err := r.hold(n.Op(), samples(size, n.NumBands())); err != nil {
		return err
	}
	tiles := make([]ast.Tile, len(e.inputs))
	var tileSamples int64
	for i, grids := range e.inputs {
		s := n.Input(i).Size()
		held := samples(s, len(grids))
		if err := r.hold(n.Op(), held); err != nil {
			return err
		}
		tileSamples += held
		pix := raster.New(raster.Float64, s.W, s.H, len(grids))
		for b, g := range grids {
			for k, v := range g.v {
				raster.Samples[float64](pix)[k*len(grids)+b] = v
			}
		}
		tiles[i] = ast.Tile{Pix: pix, Window: image.Rect(0, 0, s.W, s.H)}
	}
	e.out = raster.New(raster.Float64, size.W, size.H, n.NumBands())
	for i := range raster.Samples[float64](e.out) {
		raster.Samples[float64](e.out)[i] = nan
	}
	if err := n.EvalTile(e.out, image.Rect(0, 0, size.W, size.H), tiles); err != nil {
		return &ast.Error{Op: n.Op(), Err: err}
	}
	r.held -= tileSamples
	return nil
}
