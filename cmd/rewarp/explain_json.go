package main

import (
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/rewrite"
)

// explanation is explain --json.
type explanation struct {
	Firings []firingJSON `json:"firings"`
	Changed bool         `json:"changed"`
	Before  costJSON     `json:"cost_before"`
	After   costJSON     `json:"cost_after"`
	Summary string       `json:"summary"`

	Analysis *analysis `json:"analysis,omitempty"`
}

type firingJSON struct {
	Rule       string   `json:"rule"`
	Pass       string   `json:"pass"`
	Fidelity   string   `json:"fidelity"`
	Path       string   `json:"path"`
	Doc        string   `json:"doc"`
	Before     string   `json:"before"`
	After      string   `json:"after"`
	CostBefore costJSON `json:"cost_before"`
	CostAfter  costJSON `json:"cost_after"`
}

// costJSON is an estimate for a whole tree.
type costJSON struct {
	Read      float64 `json:"samples_read"`
	Blocks    float64 `json:"blocks_decoded"`
	Resampled float64 `json:"samples_resampled"`
	Bytes     float64 `json:"bytes_moved"`
}

func explanationOf(res rewrite.Result, before, after rewrite.Cost) explanation {
	x := explanation{Firings: []firingJSON{}, Changed: res.Changed, Before: costJSON(before), After: costJSON(after), Summary: summary(res, before, after)}
	for _, f := range res.Trace() {
		x.Firings = append(x.Firings, firingJSON{
			f.Rule.Name(), f.Pass, f.Rule.Fidelity().String(), f.Path, f.Rule.Doc(),
			ast.FormatExpr(f.Before), ast.FormatExpr(f.After), costJSON(f.CostBefore), costJSON(f.CostAfter),
		})
	}
	return x
}

// whyNotJSON is explain --why-not NAME --json.
type whyNotJSON struct {
	Rule   string       `json:"rule"`
	Fired  []firedJSON  `json:"fired,omitempty"`
	Before []reasonJSON `json:"before,omitempty"`
	After  []reasonJSON `json:"after,omitempty"`
}

type firedJSON struct {
	Number int    `json:"firing"`
	Path   string `json:"path"`
}

type reasonJSON struct {
	Path   string `json:"path"`
	Node   string `json:"node"`
	Reason string `json:"reason"`
}
