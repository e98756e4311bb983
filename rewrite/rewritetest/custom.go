package rewritetest

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// CheckCustom tries a custom node, and fails the test with what it does that
// its traits deny. See TryCustom.
func CheckCustom(t testing.TB, n ast.Custom) {
	t.Helper()
	if v := TryCustom(n, 200, 1); v != nil {
		t.Error(v)
	}
}

// TryCustom evaluates a custom node on random inputs, of the shape of its own
// ones and, where it can be built over them, of other sizes, and on random windows, and returns the first thing that its traits
// deny: a margin that is too small (a window of the node is not the node of a
// window), a band that it reads and does not declare, values that are not
// affine, validity that follows otherwise, or that it does not commute with
// shifts. Rounds is how many inputs are drawn.
func TryCustom(n ast.Custom, rounds int, seed uint64) *Violation {
	if !n.Known() {
		return broken(CustomTrait, "%s: the metadata of its inputs is not known", n.Op())
	}
	c := &customTrial{given: n, n: n, r: rand.New(rand.NewPCG(seed, 0)), traits: n.Traits(), affine: make([]affineFit, n.NumBands())}
	for range rounds {
		for _, law := range []func() string{c.draw, c.windows, c.reads, c.validity, c.values, c.shifts} {
			if fault := law(); fault != "" {
				return &Violation{Law: CustomTrait, Rule: n.Op(), Detail: fault}
			}
		}
	}
	return nil
}

// customTrial is a custom node under test.
type customTrial struct {
	given  ast.Custom
	n      ast.Custom // over inputs of another size, at times
	r      *rand.Rand
	traits ast.Traits
	inputs []*raster.Buffer // random samples, NaN where invalid
	whole  *raster.Buffer   // the node over them
	affine []affineFit
}

// affineFit is what is known of y = a·x + b for one band.
type affineFit struct{ xs, ys []float64 }

// resize puts the node over inputs of another size, if it can be.
func (c *customTrial) resize() {
	c.n = c.given
	if !c.sameCanvas() || c.n.NumInputs() == 0 {
		return
	}
	w, h := 1+c.r.IntN(12), 1+c.r.IntN(12)
	inputs := make([]ast.Node, c.n.NumInputs())
	for i := range inputs {
		in := c.n.Input(i)
		f, err := ast.NewInvalid(geom.Size{W: w, H: h}, ast.BandsOf(in))
		if err != nil {
			return
		}
		inputs[i] = f
	}
	n, err := c.n.WithInputs(inputs)
	if err != nil || !n.Known() || n.NumBands() != c.given.NumBands() {
		return
	}
	if n, ok := n.(ast.Custom); ok {
		c.n = n
	}
}

// draw makes new inputs and evaluates the node over them, twice.
func (c *customTrial) draw() string {
	if c.r.IntN(2) == 0 {
		c.resize()
	}
	c.inputs = c.inputs[:0]
	invalid := []float64{0, 0.1, 0.6}[c.r.IntN(3)]
	for i := range c.n.NumInputs() {
		in := c.n.Input(i)
		b := raster.New(raster.Float64, in.Size().W, in.Size().H, in.NumBands())
		pix := raster.Samples[float64](b)
		for k := range pix {
			pix[k] = math.Round(c.r.Float64()*4000-1000) / 4
			if c.r.Float64() < invalid {
				pix[k] = math.NaN()
			}
		}
		c.inputs = append(c.inputs, b)
	}
	var fault string
	before := make([]*raster.Buffer, len(c.inputs))
	for i, b := range c.inputs {
		before[i] = b.Clone()
	}
	if c.whole, fault = c.evaluate(c.inputs, c.n.Size().Bounds()); fault != "" {
		return fault
	}
	for i, b := range c.inputs {
		if !slices.Equal(before[i].Bytes(), b.Bytes()) {
			return fmt.Sprintf("it changes the pixels of input %d", i)
		}
	}
	again, fault := c.evaluate(c.inputs, c.n.Size().Bounds())
	if fault != "" {
		return fault
	}
	if d := c.differ(again, c.whole, image.Point{}, nil); d != "" {
		return "evaluated twice, " + d
	}
	return ""
}

// evaluate runs the node on a window, with no more of the inputs than its
// margin says.
func (c *customTrial) evaluate(inputs []*raster.Buffer, w image.Rectangle) (dst *raster.Buffer, fault string) {
	defer func() {
		if r := recover(); r != nil {
			fault = fmt.Sprintf("window %v: panic: %v", w, r)
		}
	}()
	tiles := make([]ast.Tile, len(inputs))
	for i, src := range inputs {
		need := ast.InputWindow(c.n, i, w)
		part := raster.New(raster.Float64, need.Dx(), need.Dy(), src.Bands)
		from, to := raster.Samples[float64](src), raster.Samples[float64](part)
		for y := range part.H {
			a := ((need.Min.Y+y)*src.W + need.Min.X) * src.Bands
			copy(to[y*part.W*part.Bands:(y+1)*part.W*part.Bands], from[a:])
		}
		tiles[i] = ast.Tile{Pix: part, Window: need}
	}
	dst = raster.New(raster.Float64, w.Dx(), w.Dy(), c.n.NumBands())
	for i := range raster.Samples[float64](dst) {
		raster.Samples[float64](dst)[i] = math.NaN()
	}
	if err := c.n.EvalTile(dst, w, tiles); err != nil {
		return nil, fmt.Sprintf("window %v: %v", w, err)
	}
	return dst, ""
}

// differ compares a part with the whole that it starts at an offset of, for
// the bands that keep says (nil is all). It describes the first difference.
func (c *customTrial) differ(part, whole *raster.Buffer, offset image.Point, keep func(band int) bool) string {
	for y := range part.H {
		for x := range part.W {
			for b := range part.Bands {
				p, _ := part.At(x, y, b)
				q, _ := whole.At(x+offset.X, y+offset.Y, b)
				if (keep == nil || keep(b)) && p != q && (p == p || q == q) {
					return fmt.Sprintf("pixel (%d, %d) of band %d is %s and %s", x+offset.X, y+offset.Y, b, value(q), value(p))
				}
			}
		}
	}
	return ""
}

// windows: the node of a window is the window of the node, bit for bit.
func (c *customTrial) windows() string {
	s := c.n.Size()
	for range 4 {
		x, y := c.r.IntN(s.W), c.r.IntN(s.H)
		w := image.Rect(x, y, x+1+c.r.IntN(s.W-x), y+1+c.r.IntN(s.H-y))
		part, fault := c.evaluate(c.inputs, w)
		if fault != "" {
			return fault
		}
		if d := c.differ(part, c.whole, w.Min, nil); d != "" {
			return fmt.Sprintf("margin %d: on the whole canvas and on the window %v alone, %s", c.traits.Margin, w, d)
		}
	}
	return ""
}

// reads: a band does not change with input bands that it does not read.
func (c *customTrial) reads() string {
	if c.traits.Reads == nil {
		return ""
	}
	all := c.inputBands()
	for band := range c.n.NumBands() {
		read := c.traits.Reads(band)
		for _, k := range read {
			if k < 0 || k >= all {
				return fmt.Sprintf("band %d is said to read input band %d of %d", band, k, all)
			}
		}
		inputs := make([]*raster.Buffer, len(c.inputs))
		first := 0
		for i, b := range c.inputs {
			inputs[i] = b.Clone()
			pix := raster.Samples[float64](inputs[i])
			for k := range pix {
				if !slices.Contains(read, first+k%b.Bands) {
					pix[k] = c.r.Float64()*100 - 5e3
				}
			}
			first += b.Bands
		}
		other, fault := c.evaluate(inputs, c.n.Size().Bounds())
		if fault != "" {
			return fault
		}
		if d := c.differ(other, c.whole, image.Point{}, func(b int) bool { return b == band }); d != "" {
			return fmt.Sprintf("reads: band %d changes with input bands other than %v, %s", band, read, d)
		}
	}
	return ""
}

func (c *customTrial) inputBands() int {
	n := 0
	for _, b := range c.inputs {
		n += b.Bands
	}
	return n
}

// bandsRead are the input bands that a band reads.
func (c *customTrial) bandsRead(band int) []int {
	if c.traits.Reads != nil {
		return c.traits.Reads(band)
	}
	all := make([]int, c.inputBands())
	for i := range all {
		all[i] = i
	}
	return all
}

// sample is one of the input bands, counted through all inputs, at a pixel.
func (c *customTrial) sample(x, y, band int) float64 {
	for _, b := range c.inputs {
		if band < b.Bands {
			v, _ := b.At(x, y, band)
			return v
		}
		band -= b.Bands
	}
	return math.NaN()
}

// sameCanvas reports whether every input has the node's canvas.
func (c *customTrial) sameCanvas() bool {
	for i := range c.n.NumInputs() {
		if c.n.Input(i).Size() != c.n.Size() {
			return false
		}
	}
	return true
}

// validity: a sample is valid where all, or any, of those that it reads are.
func (c *customTrial) validity() string {
	if c.traits.Validity == ast.ValidOwn || !c.sameCanvas() {
		return ""
	}
	for y := range c.whole.H {
		for x := range c.whole.W {
			for band := range c.whole.Bands {
				all, any := true, false
				for _, k := range c.bandsRead(band) {
					v := c.sample(x, y, k)
					all, any = all && v == v, any || v == v
				}
				want := all
				if c.traits.Validity == ast.ValidAny {
					want = any
				}
				if v, _ := c.whole.At(x, y, band); want != (v == v) {
					return fmt.Sprintf("validity: pixel (%d, %d) of band %d is %s, of the samples it reads there all are valid: %v, any is: %v", x, y, band, value(v), all, any)
				}
			}
		}
	}
	return ""
}

// values: an affine band is a·x + b of one input band.
func (c *customTrial) values() string {
	if !c.traits.Affine {
		return ""
	}
	for band := range c.whole.Bands {
		read := c.bandsRead(band)
		if len(read) != 1 {
			return fmt.Sprintf("affine: band %d is said to read input bands %v, an affine band reads one", band, read)
		}
		fit := &c.affine[band]
		for y := range c.whole.H {
			for x := range c.whole.W {
				in := c.sample(x, y, read[0])
				out, _ := c.whole.At(x, y, band)
				if in != in || out != out {
					continue
				}
				if d := fit.add(in, out); d != "" {
					return fmt.Sprintf("affine: pixel (%d, %d) of band %d: %s", x, y, band, d)
				}
			}
		}
	}
	return ""
}

// add takes a pair into the fit, and reports one that no line through the
// earlier ones has.
func (f *affineFit) add(x, y float64) string {
	switch len(f.xs) {
	case 0:
		f.xs, f.ys = append(f.xs, x), append(f.ys, y)
		return ""
	case 1:
		if math.Abs(x-f.xs[0]) > 100 {
			f.xs, f.ys = append(f.xs, x), append(f.ys, y)
		}
		return ""
	}
	a := (f.ys[1] - f.ys[0]) / (f.xs[1] - f.xs[0])
	want := f.ys[0] + a*(x-f.xs[0])
	if tol := 1e-9 * (math.Abs(y) + math.Abs(f.ys[0]) + math.Abs(f.ys[1]) + math.Abs(a*(x-f.xs[0]))); math.Abs(y-want) > tol {
		return fmt.Sprintf("%v becomes %v, but as %v becomes %v and %v becomes %v it would become %v", x, y, f.xs[0], f.ys[0], f.xs[1], f.ys[1], want)
	}
	return ""
}

// shifts: the node of shifted inputs is the node, shifted.
func (c *customTrial) shifts() string {
	if !c.traits.ShiftInvariant {
		return ""
	}
	if !c.sameCanvas() {
		return "shift invariance: an input has another canvas than the node"
	}
	s := c.n.Size()
	dx, dy := c.r.IntN(2*s.W-1)-s.W+1, c.r.IntN(2*s.H-1)-s.H+1
	inputs := make([]*raster.Buffer, len(c.inputs))
	for i, b := range c.inputs {
		inputs[i] = moved(b, dx, dy)
	}
	got, fault := c.evaluate(inputs, s.Bounds())
	if fault != "" {
		return fault
	}
	m := max(0, c.traits.Margin)
	// What reads across the edge where samples came in or went out may differ.
	inner := s.Bounds().Inset(m).Add(image.Pt(dx, dy)).Intersect(s.Bounds().Inset(m))
	for y := inner.Min.Y; y < inner.Max.Y; y++ {
		for x := inner.Min.X; x < inner.Max.X; x++ {
			for band := range got.Bands {
				p, _ := got.At(x, y, band)
				q, _ := c.whole.At(x-dx, y-dy, band)
				if p != q && (p == p || q == q) {
					return fmt.Sprintf("shift invariance: pixel (%d, %d) of band %d is %s, and %s where the inputs are shifted by (%d, %d)", x-dx, y-dy, band, value(q), value(p), dx, dy)
				}
			}
		}
	}
	return ""
}

// moved is a canvas shifted, invalid where nothing came in.
func moved(b *raster.Buffer, dx, dy int) *raster.Buffer {
	out := raster.New(raster.Float64, b.W, b.H, b.Bands)
	for y := range b.H {
		for x := range b.W {
			for i := range b.Bands {
				v := math.NaN()
				if (image.Point{X: x - dx, Y: y - dy}).In(b.Bounds()) {
					v, _ = b.At(x-dx, y-dy, i)
				}
				raster.Samples[float64](out)[(y*b.W+x)*b.Bands+i] = v
			}
		}
	}
	return out
}
