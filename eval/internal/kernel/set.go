package kernel

// Set is an instruction set that kernels are written for. Each contains the
// ones before it.
type Set uint8

// The instruction sets.
const (
	Portable Set = iota // plain Go
	AVX2                // amd64 with AVX2 and FMA
	AVX512              // amd64 with AVX-512 F, BW, DQ, VL, VBMI and VNNI
)

// String is "portable", "avx2" or "avx512".
func (s Set) String() string { return [...]string{"portable", "avx2", "avx512"}[s] }

// Best is the largest set that this machine supports.
func Best() Set { return best }

// lanes is how many float32 a vector of the set holds.
func (s Set) lanes() int { return 4 << s }
