package kernel

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// A product and a sum are rounded once: to what they are in many bits.
func TestFused(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 8))
	rounds := 0
	for range 200_000 {
		a, b, c := rng.Float32()-0.5, rng.Float32()*255, (rng.Float32()-0.5)*float32(math.Exp2(float64(rng.IntN(70)-50)))
		switch rng.IntN(3) {
		case 0: // few bits, so that sums come close to ties
			a, b = float32(rng.IntN(1<<13)|1), float32(rng.IntN(1<<12)|1)
			c = float32(math.Exp2(float64(rng.IntN(80) - 60)))
		case 1: // sums that float32 has few bits for
			a, c = a*0x1p-120, c*0x1p-126
			b *= 0x1p-16
		}
		sum := new(big.Float).SetPrec(200).Mul(big.NewFloat(float64(a)), big.NewFloat(float64(b)))
		want, _ := sum.Add(sum, big.NewFloat(float64(c))).Float32()
		if got := fused(a, b, c); got != want {
			t.Fatalf("%v·%v + %v is %v, want %v", a, b, c, got, want)
		}
		if float32(float64(a)*float64(b)+float64(c)) != want {
			rounds++
		}
	}
	if rounds == 0 {
		t.Error("no sum was ever rounded twice in float64")
	}
	if got := fused(math.MaxFloat32, 4, 1); !math.IsInf(float64(got), 1) {
		t.Errorf("an overflow is %v", got)
	}
}
