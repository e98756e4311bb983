package ast

import (
	"fmt"

	"github.com/rewarp/rewarp/internal/spelling"
)

// Fidelity is how closely a rewrite keeps to the tree that it rewrites. A
// higher fidelity number allows more.
type Fidelity uint8

const (
	// Exact rewrites leave naive evaluation, node by node, the same to the bit.
	Exact Fidelity = iota
	// Geometric rewrites leave the meaning the same: shape, mask and sample
	// positions. Values differ from naive ones only because fewer resamplings
	// and roundings happen.
	Geometric
	// Resolution rewrites may read another stored level: shape, domain and
	// sample positions stay, values and the mask next to nodata may differ.
	Resolution
)

var fidelities = [...]string{"exact", "geometric", "resolution"}

// String is "exact", "geometric" or "resolution".
func (f Fidelity) String() string {
	if int(f) < len(fidelities) {
		return fidelities[f]
	}
	return fmt.Sprintf("fidelity(%d)", uint8(f))
}

// ParseFidelity reads the name that String writes.
func ParseFidelity(name string) (Fidelity, error) {
	for i, s := range fidelities {
		if s == name {
			return Fidelity(i), nil
		}
	}
	hint := ""
	if best := spelling.Nearest(name, fidelities[:]); best != "" {
		hint = " (did you mean " + best + "?)"
	}
	return 0, fmt.Errorf("unknown fidelity %q, expected exact, geometric or resolution%s", name, hint)
}
