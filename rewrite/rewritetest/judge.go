package rewritetest

import (
	"context"
	"errors"
	"fmt"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/eval/oracle"
	"github.com/rewarp/rewarp/rewrite"
)

// judge compares trees by what the oracles make of them.
type judge struct {
	images Images
}

// errUnjudged says that an oracle refuses a tree: it has no meaning to keep.
var errUnjudged = errors.New("the tree has no meaning")

func (j judge) reference(n ast.Node) ([]float64, error) {
	return values(oracle.Reference(context.Background(), n, j.images, oracle.Options{}))
}

func (j judge) naive(n ast.Node) ([]float64, error) {
	return values(oracle.Naive(context.Background(), n, j.images, oracle.Options{}))
}

func values(r *oracle.Result, err error) ([]float64, error) {
	if err != nil {
		return nil, err
	}
	return r.Values, nil
}

// compare judges a rewrite from before to after by a fidelity, on its own grid
// or under any parent. It returns the first law that is broken, or nil, and how
// far the values are apart. The error is errUnjudged where before itself cannot
// be evaluated.
func (j judge) compare(before, after ast.Node, f ast.Fidelity, t rewrite.Traversal) (*Violation, *Difference, error) {
	if v := wellFormed(after); v != nil && wellFormed(before) == nil {
		return v, nil, nil
	}
	if v := compareShapes(before, after); v != nil {
		return v, nil, nil
	}
	onGrid := t == rewrite.OnGrid
	if v := comparePaths(before, after, onGrid, nil); v != nil {
		// A tree that no oracle accepts may have any path, and a band that is
		// invalid all over none.
		ref, err := j.reference(before)
		if err != nil {
			return nil, nil, errUnjudged
		}
		if v = comparePaths(before, after, onGrid, invalidBands(before, ref)); v != nil {
			return v, nil, nil
		}
	}
	v, d, err := j.comparePixels(before, after, f)
	if v == nil && err == nil && f == ast.Exact {
		v = compareSteps(before, after)
	}
	if v == nil && err == nil && t == rewrite.Everywhere {
		v, err = j.compareUnder(before, after, f)
	}
	return v, d, err
}

// invalidBands tells which bands of a canvas have no valid sample.
func invalidBands(n ast.Node, values []float64) func(band int) bool {
	return func(band int) bool {
		for i := band; i < len(values); i += n.NumBands() {
			if values[i] == values[i] {
				return false
			}
		}
		return true
	}
}

func (j judge) comparePixels(before, after ast.Node, f ast.Fidelity) (*Violation, *Difference, error) {
	was, err := j.reference(before)
	if err != nil {
		return nil, nil, errUnjudged
	}
	is, err := j.reference(after)
	if err != nil {
		return broken(Values, "what it made cannot be evaluated: %v", err), nil, nil
	}
	d := difference(before.Size(), scales(j.images, before, was), was, is)
	if f == ast.Resolution {
		return nil, d, nil
	}
	if v := d.violation(Mask, Values, tolerance); v != nil {
		return v, d, nil
	}
	if f != ast.Exact {
		return nil, d, nil
	}
	if was, err = j.naive(before); err != nil {
		return nil, d, errUnjudged
	}
	if is, err = j.naive(after); err != nil {
		return broken(Exactness, "what it made cannot be evaluated step by step: %v", err), d, nil
	}
	return sameBits(Exactness, before.Size(), was, is), d, nil
}

// compareUnder judges a rewrite as part of larger trees: under a warp that
// fuses with the highest warp of before, and under one that does not.
func (j judge) compareUnder(before, after ast.Node, f ast.Fidelity) (*Violation, error) {
	m := geom.Affine(1.25, 0, -0.4, 0, 0.75, 0.3)
	samplings := []ast.Sampling{{Interp: ast.Linear}}
	if s, ok := topSampling(before); ok && s != samplings[0] {
		samplings = append(samplings, s)
	}
	for _, s := range samplings {
		p, err := ast.NewWarp(before, m, before.Size(), s, nil)
		if err != nil {
			return nil, errUnjudged
		}
		q, err := ast.NewWarp(after, m, before.Size(), s, nil)
		if err != nil {
			return broken(Context, "under a warp by %v what it made is refused: %v", m[:6], err), nil
		}
		v, _, err := j.comparePixels(p, q, f)
		if err != nil {
			return nil, err
		}
		if v != nil {
			return broken(Context, "under a %v warp by %v: %s: %s", s, m[:6], v.Law, v.Detail), nil
		}
	}
	return nil, nil
}

// topSampling is that of the highest warp that may sample n between its pixel
// centres.
func topSampling(n ast.Node) (ast.Sampling, bool) {
	for {
		switch t := n.(type) {
		case *ast.Warp:
			if !isCopy(t) && !t.IsNoOp() {
				return t.Sampling(), true
			}
			n = t.Input(0)
		case *ast.Overview:
			if !t.Stored() && t.Size() != t.Input(0).Size() {
				return ast.DefaultSampling, true
			}
			n = t.Input(0)
		case *ast.Crop, *ast.Pad, *ast.Dequantize, *ast.Concat:
			n = t.Input(0)
		default:
			return ast.Sampling{}, false
		}
	}
}

// isCopy reports whether w permutes the samples of its source.
func isCopy(w *ast.Warp) bool {
	_, copies := w.Transform().Copy()
	return copies && w.Domain() == nil && ast.IsSource(w.Input(0))
}

// Verifier checks the pixels of every firing against the oracles, by the
// fidelity of the rule: see rewrite.Verify. It is slow, and meant for tests
// over small images. Its errors are *Violation.
func Verifier(images Images) rewrite.Verifier {
	j := judge{images}
	return func(r rewrite.Rule, before, after ast.Node) error {
		// What holds where the node is on its own grid holds for every rule.
		v, _, err := j.compare(before, after, r.Fidelity(), rewrite.OnGrid)
		if v == nil || err != nil {
			return nil // right, or without a meaning
		}
		v.Rule = r.Name()
		return v
	}
}

// lawOf maps what an Optimize returned to the law that it broke.
func lawOf(err error) *Violation {
	var v *Violation
	if errors.As(err, &v) {
		return v
	}
	out := &Violation{Law: Runs, Detail: err.Error()}
	var re *rewrite.RuleError
	if errors.As(err, &re) {
		out.Rule = re.Rule
	}
	var be *rewrite.BudgetError
	if errors.As(err, &be) {
		out.Law, out.Rule = Terminates, joinNames(be.Rules)
	}
	var ve *rewrite.VerifyError
	if errors.As(err, &ve) {
		out.Law = verifyLaws[ve.Law]
		out.Detail = ve.Error()
		if out.Law == "" {
			out.Law = LeafMap
		}
	}
	return out
}

var verifyLaws = map[string]Law{
	"canvas": Shape, "bands": Bands, "leaf": LeafMap, "leaf-map": LeafMap, "domain": Domain,
	"quantization": Values, "steps": Steps,
}

func joinNames(names []string) string {
	s := ""
	for i, n := range names {
		if i > 0 {
			s += " and "
		}
		s += n
	}
	return s
}

// optimize runs a pipeline and turns a panic of a rule into an error.
func optimize(p *rewrite.Pipeline, n ast.Node) (res rewrite.Result, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return p.Optimize(n)
}
