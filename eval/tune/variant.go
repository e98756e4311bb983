package tune

import (
	"context"
	"fmt"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/eval"
)

// Variant is what a session does otherwise than the one that is tuned. What is
// zero stays.
type Variant struct {
	Name     string    `json:"name"`
	Kernels  string    `json:"kernels,omitempty"`  // portable, avx2, avx512
	Threads  int       `json:"threads,omitempty"`  // tiles at a time
	Tile     geom.Size `json:"tile,omitzero"`      // pixels
	Fidelity string    `json:"fidelity,omitempty"` // exact, geometric, resolution
	NoCache  bool      `json:"no_cache,omitempty"` // blocks are read again for every tile
	// Extra are further options. They are not saved: a choice of a variant that
	// has them is loaded where a variant of the same name is given.
	Extra []eval.Option `json:"-"`
}

// options are the variant's, held to what the session allows.
func (v *Variant) options(s *eval.Session) ([]eval.Option, error) {
	var o []eval.Option
	if v.Kernels != "" {
		k, ok := kernels(v.Kernels)
		if !ok {
			return nil, fmt.Errorf("tune: unknown kernels %q, expected portable, avx2 or avx512", v.Kernels)
		}
		if k > s.Kernels() {
			return nil, fmt.Errorf("tune: %v kernels, the session has %v at most", k, s.Kernels())
		}
		o = append(o, eval.WithKernels(k))
	}
	if v.Threads != 0 {
		if v.Threads > s.Threads() {
			return nil, fmt.Errorf("tune: %d threads, the session has %d", v.Threads, s.Threads())
		}
		o = append(o, eval.WithThreads(v.Threads))
	}
	if v.Tile != (geom.Size{}) {
		o = append(o, eval.WithTileSize(v.Tile.W, v.Tile.H))
	}
	if v.Fidelity != "" {
		f, err := ast.ParseFidelity(v.Fidelity)
		if err != nil {
			return nil, err
		}
		o = append(o, eval.WithMaxFidelity(min(f, s.MaxFidelity())))
	}
	if v.NoCache {
		o = append(o, eval.WithBlockCache(0))
	}
	return append(o, v.Extra...), nil
}

// open gives a plan of the variant in a session of its own.
func (v *Variant) open(ctx context.Context, s *eval.Session, tree ast.Node, opts []eval.PlanOption) (*eval.Plan, error) {
	o, err := v.options(s)
	if err != nil {
		return nil, err
	}
	own, err := s.With(ctx, o...)
	if err != nil {
		return nil, err
	}
	p, err := own.Plan(ctx, tree, opts...)
	if err != nil {
		own.Close()
		return nil, err
	}
	return p, nil
}

func kernels(name string) (eval.Kernels, bool) {
	for k := eval.Portable; k <= eval.AVX512; k++ {
		if k.String() == name {
			return k, true
		}
	}
	return 0, false
}

// Unchanged names the first variant: the session as it is.
const Unchanged = "session"

// variants are those that can make a difference to the tree.
func (t *tuner) variants(ctx context.Context, p *eval.Plan) ([]Variant, error) {
	s := t.session
	list := []Variant{{Name: Unchanged}}
	if t.only != nil {
		return append(list, t.only...), nil
	}
	for k := eval.Portable; k < s.Kernels(); k++ {
		list = append(list, Variant{Name: k.String(), Kernels: k.String()})
	}
	side := 0
	for _, w := range t.windows {
		side = max(side, w.Dx(), w.Dy())
	}
	for n := 1; n < s.Threads(); n *= 2 {
		list = append(list, Variant{Name: fmt.Sprintf("threads-%d", n), Threads: n})
	}
	for _, n := range []int{64, 128, 256, 512} {
		if n < side {
			list = append(list, Variant{Name: fmt.Sprintf("tile-%d", n), Tile: geom.Size{W: n, H: n}})
		}
	}
	// A cap that gives the same canonical tree runs the same.
	last := p.Tree()
	for f := int(s.MaxFidelity()) - 1; f >= int(ast.Exact); f-- {
		name := ast.Fidelity(f).String()
		v := Variant{Name: name, Fidelity: name}
		lower, err := s.Plan(ctx, t.tree, append([]eval.PlanOption{eval.WithMaxFidelity(ast.Fidelity(f))}, t.planOptions...)...)
		if err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			list = append(list, v) // whose row tells why
			continue
		}
		if ast.Fidelity(f) == ast.Exact || !ast.Equal(lower.Tree(), last) {
			list = append(list, v)
		}
		last = lower.Tree()
	}
	if len(ast.All[*ast.Load](t.tree)) > 0 {
		list = append(list, Variant{Name: "no-cache", NoCache: true})
	}
	for _, v := range t.extra {
		for _, o := range list {
			if o.Name == v.Name {
				return nil, fmt.Errorf("tune: two variants are named %q", v.Name)
			}
		}
		list = append(list, v)
	}
	return list, nil
}

// combined takes together what paid on its own at the session's fidelity.
func (t *Table) combined() (Variant, bool) {
	base := &t.Rows[0]
	if !base.Eligible() {
		return Variant{}, false
	}
	v := Variant{Name: "combined"}
	var kernel, thread, tile, cache *Row
	better := func(to **Row, r *Row) {
		if *to == nil || r.Latency < (*to).Latency {
			*to = r
		}
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		if !r.Eligible() || r.Latency+r.Spread/2 >= base.Latency || r.Variant.Extra != nil || r.Variant.Fidelity != "" {
			continue
		}
		switch o := &r.Variant; {
		case o.Kernels != "":
			better(&kernel, r)
		case o.Threads != 0:
			better(&thread, r)
		case o.Tile != (geom.Size{}):
			better(&tile, r)
		case o.NoCache:
			better(&cache, r)
		}
	}
	paid := 0
	for _, r := range []*Row{kernel, thread, tile, cache} {
		if r != nil {
			paid++
		}
	}
	if kernel != nil {
		v.Kernels = kernel.Variant.Kernels
	}
	if thread != nil {
		v.Threads = thread.Variant.Threads
	}
	if tile != nil {
		v.Tile = tile.Variant.Tile
	}
	v.NoCache = cache != nil
	return v, paid > 1
}
