package rewritetest

import (
	"fmt"
	"math"
	"slices"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
)

// turnedAround is the tree with the parts of one concat in the other order and
// the bands picked back into order above it, which means the same; nil if the
// tree has no concat of several parts.
func turnedAround(n ast.Node) ast.Node {
	var at *ast.Concat
	ast.Inspect(n, func(n ast.Node) bool {
		if c, ok := n.(*ast.Concat); ok && at == nil && c.NumInputs() > 1 {
			at = c
		}
		return at == nil
	})
	if at == nil {
		return nil
	}
	n, err := ast.Transform(n, func(n ast.Node) (ast.Node, error) {
		if c, ok := n.(*ast.Concat); ok && c == at {
			return reversed(c)
		}
		return n, nil
	})
	if err != nil {
		return nil
	}
	return n
}

// reverseConcat rewrites the tree with the parts of a concat turned around.
func (t *trialTree) reverseConcat() {
	n := turnedAround(t.tree)
	if n == nil {
		return
	}
	k := &t.caps[min(len(t.caps)-1, int(ast.Geometric))]
	r, err := optimize(k.pipeline, n)
	if err != nil {
		t.hold(ConcatOrder, broken(ConcatOrder, "with the parts of a concat turned around: %v", err))
		return
	}
	is, err := t.judge.reference(r.Node)
	if err != nil {
		t.hold(ConcatOrder, broken(ConcatOrder, "with the parts of a concat turned around: %v", err))
		return
	}
	if len(is) != len(t.reference) {
		t.hold(ConcatOrder, broken(ConcatOrder, "with the parts of a concat turned around: %v with %d bands became %v with %d",
			n.Size(), n.NumBands(), r.Node.Size(), r.Node.NumBands()))
		return
	}
	d := difference(t.tree.Size(), t.scales, t.reference, is)
	v := d.violation(ConcatOrder, ConcatOrder, tolerance)
	if v != nil {
		v.Detail = "with the parts of a concat turned around, " + v.Detail
	}
	t.hold(ConcatOrder, v)
}

func reversed(c *ast.Concat) (ast.Node, error) {
	parts := make([]ast.Node, c.NumInputs())
	first := make([]int, len(parts)) // of each part in the new order
	bands := 0
	for i := range parts {
		k := len(parts) - 1 - i
		parts[i] = c.Input(k)
		first[k] = bands
		bands += c.Input(k).NumBands()
	}
	var picks []int
	for k := range parts {
		for b := range c.Input(k).NumBands() {
			picks = append(picks, first[k]+b)
		}
	}
	r, err := ast.NewConcat(parts...)
	if err != nil {
		return nil, err
	}
	return ast.NewCrop(r, c.Size().Bounds(), picks...)
}

const (
	executedTolerance = 2e-5 // of the range, for kernels in single precision
	exactTolerance    = 1e-6 // of the range, where only the order of sums differs
)

// execute runs the tree by every executor.
func (t *trialTree) execute() {
	if votesOnSums(t.tree) {
		return
	}
	first := map[ast.Fidelity][]float64{}
	for _, e := range t.executors {
		if !t.asks(Tiling) && (e.Fidelity == ast.Exact) != (t.only == ExecutedExact) {
			continue
		}
		law, tol := Executed, executedTolerance
		if e.Fidelity == ast.Exact {
			law, tol = ExecutedExact, exactTolerance
		}
		want := t.reference
		if e.Fidelity == ast.Exact {
			var err error
			if want, err = t.naively(); err != nil {
				continue
			}
		}
		got, err := e.Run(t.ctx, t.tree)
		if t.ctx.Err() != nil {
			return
		}
		if err != nil {
			t.hold(law, broken(law, "%s: %v", e.Name, err))
			continue
		}
		v := t.holdBuffer(law, tol, e, got, want)
		t.hold(law, v)
		if v != nil {
			continue
		}
		is := samples(got)
		if was := first[e.Fidelity]; was == nil {
			first[e.Fidelity] = is
		} else {
			v := sameBits(Tiling, t.tree.Size(), was, is)
			if v != nil {
				v.Detail = e.Name + ": " + v.Detail
			}
			t.hold(Tiling, v)
		}
	}
}

// votesOnSums reports whether a mode warp counts values that were interpolated:
// two that are equal but for rounding are then one class or two, as the order
// of a sum has it, and only the same sampler gives the same answer.
func votesOnSums(n ast.Node) bool {
	sums := map[ast.Node]bool{}
	found := false
	_ = ast.Walk(n, func(n ast.Node) error {
		s := n.Kind() == ast.KindCustom
		for i := range n.NumInputs() {
			s = s || sums[n.Input(i)]
		}
		switch n := n.(type) {
		case *ast.Warp:
			if n.Sampling().Interp == ast.Mode {
				found = found || s
			} else {
				s = s || n.Sampling().Interp != ast.Nearest
			}
		case *ast.Overview:
			s = s || !n.Stored()
		}
		sums[n] = s
		return nil
	})
	return found
}

// holdBuffer compares pixels with an oracle's values.
func (t *trialTree) holdBuffer(law Law, tol float64, e Executor, got *raster.Buffer, want []float64) *Violation {
	s := t.tree.Size()
	if got.W != s.W || got.H != s.H || got.Bands != t.tree.NumBands() {
		return broken(law, "%s: the result is %d×%d×%d, the tree %v×%d", e.Name, got.W, got.H, got.Bands, s, t.tree.NumBands())
	}
	is := samples(got)
	if !got.Type.IsFloat() {
		want = roundedLike(got.Type, want, is, t.scales, tol)
	}
	d := difference(s, t.scales, want, is)
	t.executed[e.Fidelity].add(d)
	v := d.violation(law, law, tol)
	if v != nil {
		v.Detail = e.Name + ": " + v.Detail
	}
	return v
}

// samples are the values of a buffer, NaN where invalid.
func samples(b *raster.Buffer) []float64 {
	out := make([]float64, 0, b.Len())
	for y := range b.H {
		for x := range b.W {
			for i := range b.Bands {
				v, ok := b.At(x, y, i)
				if !ok {
					v = math.NaN()
				}
				out = append(out, v)
			}
		}
	}
	return out
}

// roundedLike rounds oracle values to a type, and takes the other side of a
// half where got did and the tolerance allows it.
func roundedLike(t raster.DataType, want, got, scales []float64, tol float64) []float64 {
	out := slices.Clone(want)
	lo, hi := t.Range()
	for i, v := range want {
		if v != v {
			continue
		}
		out[i] = t.Round(v)
		if math.Abs(got[i]-min(max(v, lo), hi)) <= 0.5+tol*scales[i%len(scales)] {
			out[i] = got[i]
		}
	}
	return out
}

// String is the name of the executor and the oracle that it is held to.
func (e Executor) String() string {
	oracle := "the reference"
	if e.Fidelity == ast.Exact {
		oracle = "naive evaluation"
	}
	return fmt.Sprintf("%s, held to %s", e.Name, oracle)
}
