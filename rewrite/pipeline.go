package rewrite

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/rewarp/rewarp/ast"
)

// Traversal is the order in which a pass visits nodes, and which.
type Traversal uint8

const (
	// Everywhere visits every node, parents first. Its rules keep the meaning
	// of the node under any parent.
	Everywhere Traversal = iota
	// OnGrid visits, parents first, only nodes whose canvas is evaluated at
	// its own pixel centres and nowhere between: the root, and what a barrier
	// samples, through concats, crops, pads and dequantizes. Its rules may rely on
	// that: they may cut away samples that only a warp further up could have
	// reached.
	OnGrid
)

// String is "everywhere" or "on-grid".
func (t Traversal) String() string {
	if t == OnGrid {
		return "on-grid"
	}
	return "everywhere"
}

// Pass is an ordered list of rules with a traversal. At a node the first rule
// that fires wins, and then the rules see its result.
type Pass struct {
	Name      string
	Traversal Traversal
	Rules     []Rule
}

// Pipeline is an ordered list of passes, run to a fixpoint. It is compiled and
// immutable, and safe for concurrent use.
type Pipeline struct {
	source   []Pass // as given, for With
	config   config
	passes   []*pass
	id       uint32
	disabled []string
	altered  bool // rules are disabled or replaced by name
}

type config struct {
	max      ast.Fidelity
	without  map[string]bool
	only     map[string]bool
	replaced map[string]Rule
	budget   int
	trace    bool
	verify   bool
	verifier Verifier
}

// Option changes what a pipeline does.
type Option func(*config) error

// MaxFidelity caps the pipeline: rules of a looser fidelity stay out. Without
// it the cap is Resolution.
func MaxFidelity(f ast.Fidelity) Option {
	return func(c *config) error { c.max = f; return nil }
}

// Without disables rules by name.
func Without(names ...string) Option {
	return func(c *config) error {
		c.without = cloneAdd(c.without, names)
		return nil
	}
}

// Only disables every rule but the named ones.
func Only(names ...string) Option {
	return func(c *config) error {
		c.only = cloneAdd(c.only, names)
		return nil
	}
}

func cloneAdd(set map[string]bool, names []string) map[string]bool {
	out := map[string]bool{}
	for n := range set {
		out[n] = true
	}
	for _, n := range names {
		out[n] = true
	}
	return out
}

// Replace puts a rule in the place of the one with the given name.
func Replace(name string, r Rule) Option {
	return func(c *config) error {
		m := map[string]Rule{name: r}
		for k, v := range c.replaced {
			if k != name {
				m[k] = v
			}
		}
		c.replaced = m
		return nil
	}
}

// Budget bounds the number of firings of one Optimize. Zero, the default, is
// 4096 and 64 more for every distinct node of the tree.
func Budget(firings int) Option {
	return func(c *config) error {
		if firings < 0 {
			return fmt.Errorf("rewrite: budget %d is negative", firings)
		}
		c.budget = firings
		return nil
	}
}

// Trace makes Optimize record every firing. Such runs neither read nor write
// what nodes remember.
func Trace() Option { return func(c *config) error { c.trace = true; return nil } }

// Verify checks every firing: canvas, bands, types, the transform to each
// leaf, and domain, and for Exact rules that resampling and rounding steps stay.
// Verifiers may check more; the first error stops the run.
func Verify(v ...Verifier) Option {
	return func(c *config) error {
		c.verify = true
		if len(v) > 0 {
			c.verifier = func(r Rule, before, after ast.Node) error {
				for _, f := range v {
					if err := f(r, before, after); err != nil {
						return err
					}
				}
				return nil
			}
		}
		return nil
	}
}

// Verifier checks one firing beyond what Verify does by itself.
type Verifier func(r Rule, before, after ast.Node) error

var lastID atomic.Uint32

// New compiles a pipeline. Rule names are unique in it.
func New(passes []Pass, opts ...Option) (*Pipeline, error) {
	c := config{max: ast.Resolution}
	passes = slices.Clone(passes)
	for i := range passes {
		passes[i].Rules = slices.Clone(passes[i].Rules)
	}
	return compile(passes, c, opts)
}

// With returns the pipeline with further options.
func (p *Pipeline) With(opts ...Option) (*Pipeline, error) {
	return compile(p.source, p.config, opts)
}

func compile(source []Pass, c config, opts []Option) (*Pipeline, error) {
	for _, o := range opts {
		if err := o(&c); err != nil {
			return nil, err
		}
	}
	p := &Pipeline{source: source, config: c}
	names := map[string]bool{}
	for i, s := range source {
		cp := &pass{name: s.Name, traversal: s.Traversal, index: i, idle: allIdle, id: lastID.Add(1), byOp: map[string][]compiled{}}
		for _, r := range s.Rules {
			if names[r.Name()] {
				return nil, fmt.Errorf("rewrite: two rules are named %q (pass %s)", r.Name(), s.Name)
			}
			names[r.Name()] = true
			if c.without[r.Name()] || c.only != nil && !c.only[r.Name()] {
				p.disabled = append(p.disabled, r.Name())
				continue
			}
			if q, ok := c.replaced[r.Name()]; ok {
				r = q
			}
			if r.Fidelity() <= c.max {
				cp.add(r)
			}
		}
		cp.sort()
		p.passes = append(p.passes, cp)
	}
	for _, set := range []map[string]bool{c.without, c.only} {
		for name := range set {
			if !names[name] {
				return nil, fmt.Errorf("rewrite: no rule is named %q", name)
			}
		}
	}
	for name := range c.replaced {
		if !names[name] {
			return nil, fmt.Errorf("rewrite: no rule is named %q to be replaced", name)
		}
	}
	p.altered = len(p.disabled) > 0 || len(c.replaced) > 0
	p.id = lastID.Add(1)
	return p, nil
}

// RuleInfo describes a rule's place in a pipeline.
type RuleInfo struct {
	Rule    Rule
	Pass    string
	Enabled bool // false when disabled by name or above the fidelity cap
}

// Rules lists the pipeline's rules in order, disabled ones too.
func (p *Pipeline) Rules() []RuleInfo {
	var out []RuleInfo
	for _, s := range p.source {
		for _, r := range s.Rules {
			off := slices.Contains(p.disabled, r.Name())
			if q, ok := p.config.replaced[r.Name()]; ok && !off {
				r = q
			}
			out = append(out, RuleInfo{r, s.Name, !off && r.Fidelity() <= p.config.max})
		}
	}
	return out
}

// Remembers reports whether nodes remember what the pipeline found out about
// them, so that optimizing again costs nothing. Under Trace and Verify they do
// not.
func (p *Pipeline) Remembers() bool { return !p.config.trace && !p.config.verify }

// MaxFidelity is the pipeline's cap.
func (p *Pipeline) MaxFidelity() ast.Fidelity { return p.config.max }

// Result is what Optimize made of a tree. It is small enough to be returned in
// registers.
type Result struct {
	Node    ast.Node
	Changed bool  // Node is not the tree that was given
	Fired   int32 // firings in this call; 0 when what nodes remember sufficed
	trace   *[]Firing
}

// Trace is the firings in order, when the pipeline traces.
func (r Result) Trace() []Firing {
	if r.trace == nil {
		return nil
	}
	return *r.trace
}

// Optimize rewrites the tree to its canonical form. All metadata must be
// known. On an error nothing is remembered.
func (p *Pipeline) Optimize(n ast.Node) (Result, error) {
	// A pipeline that traces or verifies has an id of its own, which no node
	// remembers.
	if ast.IsCanonical(n, p.id) {
		return Result{Node: n}, nil
	}
	return p.optimize(n)
}

func (p *Pipeline) optimize(n ast.Node) (Result, error) {
	if n == nil {
		return Result{}, fmt.Errorf("rewrite: no tree")
	}
	m := n.Memo()
	if m.Canonical(p.id) {
		return Result{Node: n}, nil
	}
	if f := m.Forward(p.id); f != nil {
		return Result{Node: f, Changed: f != n}, nil
	}
	if !n.Known() {
		return Result{}, unknown(n)
	}
	r := runs.Get().(*run)
	r.start(p, n)
	out, err := r.fixpoint(n)
	result := Result{Node: out, Changed: out != n, Fired: int32(r.fired)}
	if err != nil {
		result = Result{}
	} else if r.remember {
		out.Memo().SetCanonical(p.id)
		if out != n {
			m.SetForward(p.id, out)
		}
	} else if trace := r.trace; trace != nil {
		result.trace = &trace
	}
	r.release()
	return result, err
}

func unknown(n ast.Node) error {
	err := fmt.Errorf("rewrite: the metadata of a load is not known, prepare the tree first")
	for _, l := range ast.All[*ast.Load](n) {
		if !l.Known() {
			return &ast.Error{Op: "load", Arg: "uri", Value: fmt.Sprintf("%q", l.URI()), Err: err}
		}
	}
	return err
}

var runs = sync.Pool{New: func() any { return new(run) }}
