package rewritetest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/rewrite"
)

// Report is what a campaign found.
type Report struct {
	Trees       int
	Seed        uint64
	MaxFidelity ast.Fidelity
	Rule        string // the only rule tried, or ""
	Unjudged    int    // trees that no oracle accepts
	Firings     int    // of rules, at all caps
	Laws        []LawCount

	Geometric  Difference // rewritten against drawn, by the reference
	Resolution Difference // the same where other levels may be read
	Executed   Difference // executed against the reference
	Exact      Difference // executed at the exact cap against naive evaluation

	CostBefore, CostAfter rewrite.Cost // of all trees, at the highest cap
	Elapsed               time.Duration
	Failures              []*Failure // the first of each law and then others, shrunk

	keep   int
	counts map[Law]*LawCount
	broken []found
}

// LawCount is how often a law was checked, and found broken.
type LawCount struct {
	Law     Law `json:"law"`
	Checked int `json:"checked"`
	Broken  int `json:"broken"`
}

// found is a violation before it is shrunk.
type found struct {
	tree int
	seed uint64
	v    *Violation
}

func newReport(c *Config) *Report {
	return &Report{
		Seed: c.Seed, MaxFidelity: c.MaxFidelity, Rule: c.Rule,
		keep: c.Failures, counts: map[Law]*LawCount{},
	}
}

// add counts the outcome of a tree in.
func (r *Report) add(seed uint64, tree int, o *outcome) {
	r.Trees++
	if o.unjudged {
		r.Unjudged++
		return
	}
	r.Firings += o.fired
	r.CostBefore, r.CostAfter = r.CostBefore.Add(o.costBefore), r.CostAfter.Add(o.costAfter)
	r.Geometric.add(&o.differences[ast.Geometric])
	r.Resolution.add(&o.differences[ast.Resolution])
	r.Executed.add(&o.executed[ast.Geometric])
	r.Executed.add(&o.executed[ast.Resolution])
	r.Exact.add(&o.executed[ast.Exact])
	for _, l := range o.checked {
		r.count(l).Checked++
	}
	for _, v := range o.violations {
		r.count(v.Law).Broken++
		r.broken = append(r.broken, found{tree, seed, v})
	}
}

func (r *Report) count(l Law) *LawCount {
	c := r.counts[l]
	if c == nil {
		c = &LawCount{Law: l}
		r.counts[l] = c
	}
	return c
}

// finish orders what was found, whatever the order of the workers was, and
// shrinks as many failures as are kept: the first of each law, then others.
func (r *Report) finish(shrink func(*Failure)) {
	for _, l := range Laws() {
		if c := r.counts[l]; c != nil {
			r.Laws = append(r.Laws, *c)
		}
	}
	slices.SortStableFunc(r.broken, func(a, b found) int { return cmp.Compare(a.tree, b.tree) })
	for _, f := range firstOfEach(r.broken) {
		if len(r.Failures) == r.keep {
			break
		}
		out := &Failure{Violation: *f.v, Seed: f.seed}
		shrink(out)
		if !slices.ContainsFunc(r.Failures, out.sameAs) {
			r.Failures = append(r.Failures, out)
		}
	}
	r.broken = nil
}

// perLaw is how many failures of one law are shrunk.
const perLaw = 6

// firstOfEach puts the first violation of each law first, then the second of
// each, and so on. A tree counts once a law.
func firstOfEach(all []found) []found {
	type key struct {
		law  Law
		tree int
	}
	seen := map[key]bool{}
	byLaw := map[Law][]found{}
	for _, f := range all {
		if k := (key{f.v.Law, f.tree}); !seen[k] && len(byLaw[f.v.Law]) < perLaw {
			seen[k] = true
			byLaw[f.v.Law] = append(byLaw[f.v.Law], f)
		}
	}
	var out []found
	for i := range perLaw {
		for _, l := range Laws() {
			if i < len(byLaw[l]) {
				out = append(out, byLaw[l][i])
			}
		}
	}
	return out
}

// Broken is how many checks found a law broken.
func (r *Report) Broken() int {
	n := 0
	for _, l := range r.Laws {
		n += l.Broken
	}
	return n
}

// String is the report as a table, with the failures below it.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d random trees, seed %d, up to %v", r.Trees, r.Seed, r.MaxFidelity)
	if r.Rule != "" {
		fmt.Fprintf(&b, ", rule %s alone", r.Rule)
	}
	fmt.Fprintf(&b, ": %d rule firings in %v\n", r.Firings, r.Elapsed.Round(10*time.Millisecond))
	if r.Unjudged > 0 {
		fmt.Fprintf(&b, "%d trees have no meaning that an oracle accepts\n", r.Unjudged)
	}
	b.WriteByte('\n')
	fmt.Fprintf(&b, "%-22s %10s %8s\n", "law", "checked", "broken")
	for _, l := range r.Laws {
		fmt.Fprintf(&b, "%-22s %10d %8d\n", l.Law, l.Checked, l.Broken)
	}
	b.WriteByte('\n')
	fmt.Fprintf(&b, "%-34s %12s %12s %12s %12s\n", "difference, of the range", "samples", "mask", "worst", "mean")
	for _, d := range r.differences() {
		if d.Samples > 0 {
			fmt.Fprintf(&b, "%-34s %12d %12d %12.3g %12.3g\n", d.name, d.Samples, d.Masked, d.Worst, d.Mean())
		}
	}
	if c := r.CostBefore; c != (rewrite.Cost{}) {
		fmt.Fprintf(&b, "\nestimated cost before: %v\n               after:  %v\n", c, r.CostAfter)
	}
	for _, f := range r.Failures {
		b.WriteString("\n" + f.String() + "\n")
	}
	return b.String()
}

type namedDifference struct {
	name string
	key  string
	*Difference
}

func (r *Report) differences() []namedDifference {
	return []namedDifference{
		{"rewritten, geometric", "geometric", &r.Geometric},
		{"rewritten, resolution", "resolution", &r.Resolution},
		{"executed, to the reference", "executed", &r.Executed},
		{"executed, to naive evaluation", "executed_exact", &r.Exact},
	}
}

// MarshalJSON writes the report for machines.
func (r *Report) MarshalJSON() ([]byte, error) {
	type difference struct {
		Samples int     `json:"samples"`
		Mask    int     `json:"mask"`
		Worst   float64 `json:"worst"`
		Mean    float64 `json:"mean"`
	}
	differences := map[string]difference{}
	for _, d := range r.differences() {
		if d.Samples > 0 {
			differences[d.key] = difference{d.Samples, d.Masked, d.Worst, d.Mean()}
		}
	}
	failures := r.Failures
	if failures == nil {
		failures = []*Failure{}
	}
	return json.Marshal(struct {
		Trees       int                   `json:"trees"`
		Seed        uint64                `json:"seed"`
		MaxFidelity string                `json:"max_fidelity"`
		Rule        string                `json:"rule,omitempty"`
		Unjudged    int                   `json:"unjudged"`
		Firings     int                   `json:"firings"`
		Broken      int                   `json:"broken"`
		Laws        []LawCount            `json:"laws"`
		Differences map[string]difference `json:"differences"`
		Seconds     float64               `json:"seconds"`
		Failures    []*Failure            `json:"failures"`
	}{
		r.Trees, r.Seed, r.MaxFidelity.String(), r.Rule, r.Unjudged, r.Firings, r.Broken(),
		r.Laws, differences, r.Elapsed.Seconds(), failures,
	})
}
