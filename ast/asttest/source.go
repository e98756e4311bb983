package asttest

import (
	"math/rand/v2"

	"pgregory.net/rapid"
)

// source is where choices come from. Of n alternatives 0 is the simplest.
type source interface {
	IntN(n int) int
}

// seeded draws from a generator whose output is fixed by its definition.
type seeded struct{ pcg *rand.PCG }

func newSeeded(seed uint64) *seeded {
	return &seeded{rand.NewPCG(seed, 0x9e3779b97f4a7c15)}
}

// IntN takes the remainder rather than rand.Rand's sampling, which a Go
// release may change; the bias is below 2⁻⁴⁰ for the ranges used here.
func (s *seeded) IntN(n int) int { return int(s.pcg.Uint64() % uint64(n)) }

// rapidly draws from a rapid test, which shrinks towards 0.
type rapidly struct{ t *rapid.T }

func (r rapidly) IntN(n int) int {
	if n <= 1 {
		return 0
	}
	return rapid.IntRange(0, n-1).Draw(r.t, "choice")
}

// mix is the finalizer of SplitMix64: nearby inputs give unrelated outputs.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// TreeSeed is the seed of the i-th tree of a campaign.
func TreeSeed(campaign uint64, i int) uint64 { return mix(mix(campaign) + uint64(i)) }
