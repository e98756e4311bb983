package tune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
)

const warmUp = 2 // rounds

// measure runs a variant.
func (t *tuner) measure(ctx context.Context, v Variant) Row {
	r := Row{Variant: v, Status: OK}
	limited, cancel := context.WithTimeout(ctx, t.limit)
	defer cancel()
	if err := t.try(limited, &r); err != nil {
		if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("it was stopped after %v", t.limit)
		}
		r.Status, r.Why = Failed, err.Error()
		r.Latency, r.Spread = 0, 0
	}
	return r
}

func (t *tuner) try(ctx context.Context, r *Row) (err error) {
	p, err := r.Variant.open(ctx, t.session, t.tree, t.planOptions)
	if err != nil {
		return err
	}
	s := p.Session()
	defer func() { err = errors.Join(err, s.Close()) }()
	r.Threads, r.Kernels, r.Fidelity = s.Threads(), s.Kernels().String(), p.Fidelity().String()
	out := make([]*raster.Buffer, len(t.windows))
	for i := range out {
		out[i] = &raster.Buffer{}
	}
	for range warmUp {
		if _, err := t.round(ctx, p, out); err != nil {
			return err
		}
	}
	t.judge(r, p, out)
	var times []time.Duration
	for start := time.Now(); len(times) < t.rounds || time.Since(start) < t.least; {
		d, err := t.round(ctx, p, out)
		if err != nil {
			return err
		}
		times = append(times, d)
	}
	slices.Sort(times)
	r.Rounds = len(times)
	r.Latency = (times[(len(times)-1)/2] + times[len(times)/2]) / 2
	r.Spread = times[len(times)*3/4] - times[len(times)/4]
	r.Memory = s.Held()
	for _, b := range out {
		r.Memory += int64(len(b.Bytes()) + len(b.Mask))
	}
	return nil
}

// round computes all windows.
func (t *tuner) round(ctx context.Context, p *eval.Plan, out []*raster.Buffer) (time.Duration, error) {
	if t.cold {
		for _, l := range ast.All[*ast.Load](t.tree) {
			if err := p.Session().Forget(l.URI()); err != nil {
				return 0, err
			}
		}
	}
	start := time.Now()
	for i, w := range t.windows {
		if err := p.Window(ctx, w, out[i]); err != nil {
			return 0, err
		}
	}
	return time.Since(start), nil
}

// judge compares a variant's pixels with what they should be.
func (t *tuner) judge(r *Row, p *eval.Plan, out []*raster.Buffer) {
	if t.means != nil {
		d := difference(out, t.means)
		r.MeanError, r.MaxError, r.Masks = d.mean, d.max, d.masks
		switch {
		case p.Fidelity() == ast.Exact && t.stepped != nil:
			if s := difference(out, t.stepped); s.steps > 0 || s.masks > 0 {
				r.wrong("it differs from the tree run step by step, by %.3g of the range and in %d masks", s.max, s.masks)
			}
		case p.Fidelity() != ast.Geometric:
		case d.masks > 0:
			r.wrong("%d samples are valid that should not be, or the reverse", d.masks)
		case d.beyond(p.Type()):
			r.wrong("it differs from the reference by %.3g of the range", d.max)
		}
	} else {
		r.Status, r.Why = Unchecked, t.unchecked
		r.MeanError, r.MaxError = math.NaN(), math.NaN()
	}
	first := t.peers[p.Fidelity()]
	if first == nil {
		if r.Status == Wrong {
			return
		}
		first = &peer{name: r.Variant.Name}
		for _, b := range out {
			first.pixels = append(first.pixels, b.Clone())
		}
		t.peers[p.Fidelity()] = first
		return
	}
	if d := difference(out, first.pixels); r.Status != Wrong && (d.masks > 0 || d.beyond(p.Type())) {
		r.wrong("it differs from %q, of the same fidelity, by %.3g of the range and in %d masks", first.name, d.max, d.masks)
	}
}

func (r *Row) wrong(format string, a ...any) { r.Status, r.Why = Wrong, fmt.Sprintf(format, a...) }

// delta is how far pixels are from what they should be. Mean and max are parts
// of the range of the values.
type delta struct {
	mean, max float64
	steps     float64 // largest difference from the value rounded to the type
	masks     int
}

// beyond reports whether more than rounding differs: of integers one step, of
// floats a ten-thousandth of the range.
func (d *delta) beyond(t raster.DataType) bool {
	if t.IsFloat() {
		return d.max > 1e-4
	}
	return d.steps > 1
}

func difference(got, want []*raster.Buffer) delta {
	var d delta
	lo, hi, sum, n := math.Inf(1), math.Inf(-1), 0.0, 0
	for i, g := range got {
		w := want[i]
		if g.W != w.W || g.H != w.H || g.Bands != w.Bands {
			return delta{math.Inf(1), math.Inf(1), math.Inf(1), g.Len()}
		}
		least, most := g.Type.Range()
		for y := range g.H {
			for x := range g.W {
				for b := range g.Bands {
					a, ok := g.At(x, y, b)
					v, valid := w.At(x, y, b)
					if ok != valid {
						d.masks++
					}
					if valid {
						lo, hi = min(lo, v), max(hi, v)
					}
					if !ok || !valid {
						continue
					}
					if !g.Type.IsFloat() {
						v = min(max(v, least), most)
					}
					e := math.Abs(a - v)
					sum += e
					n++
					d.max = max(d.max, e)
					d.steps = max(d.steps, math.Abs(a-g.Type.Round(v)))
				}
			}
		}
	}
	scale := hi - lo
	if !(scale > 0) {
		scale = max(1, math.Abs(hi))
	}
	if n > 0 {
		d.mean, d.max = sum/float64(n)/scale, d.max/scale
	}
	return d
}
