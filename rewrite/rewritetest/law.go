package rewritetest

import "fmt"

// Law is something that holds for every rewrite, by name.
type Law string

// The laws. A tree is compared by each in this order, so that the first one
// that is broken says most about the fault.
const (
	Runs          Law = "runs"                // no rule returns an error, and none panics
	Terminates    Law = "terminates"          // rules reach a fixpoint
	Budget        Law = "budget"              // and do so within the default budget
	Valid         Law = "valid"               // the builders accept what was made, and agree on its shape
	Shape         Law = "shape"               // the canvas stays
	Bands         Law = "bands"               // number, names and nodata of the bands stay
	Type          Law = "type"                // the type of each band stays
	LeafMap       Law = "leaf-map"            // each band comes from the same leaf, by the same transform
	Domain        Law = "domain"              // the part of the canvas that can be valid stays
	Mask          Law = "mask"                // the reference is valid at the same samples
	Values        Law = "values"              // and has the same values there
	Exactness     Law = "exact-bits"          // exact: naive evaluation gives the same bits and mask
	Steps         Law = "same-sampling-steps" // exact: the samplings on each path stay
	Context       Law = "context"             // all this holds under other nodes too
	Idempotent    Law = "idempotent"          // an optimized tree is left as it is, and said to be
	Deterministic Law = "deterministic"       // equal trees give equal results, from many goroutines
	ConcatOrder   Law = "concat-order"        // the order of parts does not matter to the parts
	JSON          Law = "json"                // tree files and expressions read back equal
	Executed      Law = "executed"            // planned execution gives the reference's mask and values
	ExecutedExact Law = "executed-exact"      // at the exact cap, the naive bits
	Tiling        Law = "tiling"              // nor does it depend on tile size and threads
	CustomTrait   Law = "custom-trait"        // a custom node keeps what its traits promise
)

// Laws lists all laws in order.
func Laws() []Law {
	return []Law{
		Runs, Terminates, Budget, Valid, Shape, Bands, Type, LeafMap, Domain, Mask, Values, Exactness, Steps, Context,
		Idempotent, Deterministic, ConcatOrder, JSON, Executed, ExecutedExact, Tiling, CustomTrait,
	}
}

// Violation is a broken law. It is an error.
type Violation struct {
	Law    Law
	Rule   string // the rule that broke it, where that is known
	Detail string
}

// Error is for example "fuse-warps breaks the mask law: …".
func (v *Violation) Error() string {
	if v.Rule == "" {
		return fmt.Sprintf("the %s law is broken: %s", v.Law, v.Detail)
	}
	return fmt.Sprintf("%s breaks the %s law: %s", v.Rule, v.Law, v.Detail)
}

func broken(law Law, format string, a ...any) *Violation {
	return &Violation{Law: law, Detail: fmt.Sprintf(format, a...)}
}
