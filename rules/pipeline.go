package rules

import (
	"slices"

	"github.com/rewarp/rewarp/rewrite"
)

// Passes are the built-in passes. "distribute" brings every concat to the top,
// so that below it each part is one path; "simplify" brings every path to
// canonical order with one warp; and "place", on grids only, chooses stored
// levels and cuts away what no kernel reaches.
func Passes() []rewrite.Pass {
	return []rewrite.Pass{
		{Name: "distribute", Traversal: rewrite.Everywhere, Rules: concatRules},
		{Name: "simplify", Traversal: rewrite.Everywhere, Rules: slices.Concat(
			shareRules, fillRules, cropRules, padRules, dequantizeRules, overviewRules,
			copyRules, padBelowWarpRules, warpRules, customRules,
		)},
		{Name: "place", Traversal: rewrite.OnGrid, Rules: slices.Concat(
			placeRules, warpBelowCustomRules, levelRules, cropBelowWarpRules,
		)},
	}
}

// New compiles the built-in passes with options.
func New(opts ...rewrite.Option) (*rewrite.Pipeline, error) {
	return rewrite.New(Passes(), opts...)
}

var standard = func() *rewrite.Pipeline {
	p, err := New()
	if err != nil {
		panic(err)
	}
	return p
}()

// Default is the built-in pipeline at the resolution cap.
func Default() *rewrite.Pipeline { return standard }
