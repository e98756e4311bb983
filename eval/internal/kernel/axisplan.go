package kernel

import (
	"math"

	"github.com/rewarp/rewarp/ast"
)

// axisPlan holds the taps along one axis of a run of output columns or rows
// [a, b): those whose taps are all in memory or beyond the canvas. Of any
// other the sampler takes care. Which they are does not depend on the run.
type axisPlan struct {
	key   planKey
	a, b  int
	n     int       // taps each
	first []int     // coordinate of the first tap, which may lie beyond the canvas
	w     []float32 // weights, n each, normalized; 0 for taps that do not exist
	share []float64 // the part of the full weight that exists; 0 if the sampler takes care
	part  []int     // the positions whose share is less than 1
	row   []float64
}

// make plans the outputs of the key.
func (plan *axisPlan) make(p *profile, key *planKey) {
	ax, t, x0, x1 := &key.ax, key.t, key.x0, key.x1
	t.shift = p.shift
	if ax.border == ast.NoDataBorder {
		own := t
		own.shift = -edgeTolerance
		x0, x1 = own.within(x0, x1, 0, float64(ax.size-1))
	}
	n := max(0, x1-x0)
	*plan = axisPlan{
		key: *key, a: x0, b: x0, n: p.n,
		first: grow(plan.first, n)[:0], share: grow(plan.share, n)[:0], part: plan.part[:0],
		w: grow(plan.w, n*p.n)[:0], row: grow(plan.row, p.n),
	}
	row := plan.row
	for x := x0; x < x1; x++ {
		u := t.position(x)
		valid, all, ok := 0.0, 0.0, math.Abs(u) < 1<<30
		first := 0
		if ok {
			first = int(math.Floor(u - p.shift))
			valid, all, ok = plan.weigh(row, p, ax, first, u, key.inner)
		}
		switch {
		case ok && valid > 0:
			plan.b = x + 1
		case plan.a == plan.b:
			plan.a, plan.b = x+1, x+1
			continue
		default:
			// A gap, which takes what is beside it and no weight.
			first, valid, all = plan.first[len(plan.first)-1], 1, math.Inf(1)
			clear(row)
		}
		plan.first = append(plan.first, first)
		plan.share = append(plan.share, valid/all)
		if valid != all {
			plan.part = append(plan.part, x)
		}
		for _, w := range row {
			plan.w = append(plan.w, float32(w/valid))
		}
	}
	plan.first = plan.first[:plan.b-plan.a] // what follows are gaps
}

// weigh puts the weights of the taps from first on into row, 0 for those that
// do not exist. It is not ok if one is not in memory.
func (plan *axisPlan) weigh(row []float64, p *profile, ax *axis, first int, u float64, inner bool) (valid, all float64, ok bool) {
	if ax.numbers(first, first+p.n-1) {
		return 0, 0, false // exactly the number, which a sum of weights is not
	}
	for k := range row {
		i := first + k
		w := tapWeight(p.interp, i, u, p.stretch)
		all += w
		if uint(i) >= uint(ax.size) {
			switch {
			case inner:
				return 0, 0, false
			case ax.border == ast.NoDataBorder:
				w = 0
			case ax.index(i) == tapInvalid:
				return 0, 0, false
			}
		} else if i < ax.w0 || i >= ax.w1 {
			return 0, 0, false
		}
		row[k] = w
		valid += w
	}
	return valid, all, true
}

// reach is the first coordinate that the outputs [a, b) read, and one past the
// last.
func (plan *axisPlan) reach(a, b int) (lo, hi int) {
	f, g := plan.first[a-plan.a], plan.first[b-1-plan.a]
	return min(f, g), max(f, g) + plan.n
}

// weights are those of the output x.
func (plan *axisPlan) weights(x int) []float32 {
	return plan.w[(x-plan.a)*plan.n:][:plan.n]
}
