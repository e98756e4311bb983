// Command gen writes the amd64 kernels and their Go stubs. Run it with
// go generate in the kernel package.
//
// Each function does in vectors what its twin in ops.go says, with the same
// operations in the same order, and fuses what the twin does, so that both give
// the same bits. What it does not handle (what is left of a row that is no multiple of
// a vector) is the twin's.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sample is a stored type.
type sample struct {
	name string
	size int
}

var samples = []sample{{"Uint8", 1}, {"Uint16", 2}, {"Int16", 2}, {"Float32", 4}}

// chunkBytes is the distance between the weights of one tap and of the next:
// the package's chunk, in float32.
const chunkBytes = 256 * 4

// lanczosSteps is the package's.
const lanczosSteps = 2048

func main() {
	ConstraintExpr("amd64")
	for _, wide := range []bool{false, true} {
		positions(wide, true)
		positions(wide, false)
		clearBlock(wide)
		steps(wide, true)
		steps(wide, false)
		project(wide, true)
		project(wide, false)
		stretch(wide)
		stretchFar(wide)
		blend(wide, false)
		blend(wide, true)
		blendPack(wide, false)
		blendPack(wide, true)
		keys(wide)
		for _, name := range []string{"Linear", "Cubic", "Lanczos", "Area"} {
			weights(name, wide)
		}
		for _, t := range samples[:3] {
			pack(t, wide)
		}
		for _, t := range samples {
			lerpOne(t, wide)
			lerpMany(t, wide)
			lerpValid(t, wide)
			tapsOne(t, wide)
			tapsFew(t, wide)
			tapsMany(t, wide)
			columns(t, wide)
		}
	}
	for _, t := range samples {
		lerpFew(t)
		fewBlock(t)
	}
	oneBlockBytes()
	oneBlockFloats()
	for _, size := range []int{1, 2, 3, 4, 6, 8} {
		pick(size)
		pickRail(size, false)
	}
	pickWhole()
	pickLong()
	for _, stream := range []bool{false, true} {
		pickRailQuads(12, stream)
		pickRailQuads(16, stream)
	}
	pickRail(4, true)
	pickRail(8, true)
	pickRailLong()
	scale()
	finite()
	unusable()
	prefetch()
	fixed()
	fixedDigits()
	shrinkLanes()
	shrinkQuads()
	lerp8()
	lerp16(samples[1])
	lerp16(samples[2])
	for _, t := range samples[1:3] {
		lerpRail(t, false)
		lerpRail(t, true)
	}
	peak()
	fence()
	streams()
	fold()
	for _, size := range []int{1, 2, 4} {
		for n := 2; n <= maxPlanes; n++ {
			interleave(n, size)
		}
	}
	Generate()
}

// suffix names the instruction set.
func suffix(wide bool) string {
	if wide {
		return "AVX512"
	}
	return "AVX2"
}

// vector allocates a register of 8 or 16 float32.
func vector(wide bool) reg.VecVirtual {
	if wide {
		return ZMM()
	}
	return YMM()
}

// load reads as many samples as dst has float32 lanes, and converts them. With
// a mask, other lanes are zero and their memory is not touched.
func load(t sample, m Mem, dst reg.VecVirtual, mask ...reg.OpmaskVirtual) {
	if len(mask) > 0 {
		k := mask[0]
		switch t.name {
		case "Uint8":
			VPMOVZXBD_Z(m, k, dst)
		case "Uint16":
			VPMOVZXWD_Z(m, k, dst)
		case "Int16":
			VPMOVSXWD_Z(m, k, dst)
		case "Float32":
			VMOVUPS_Z(m, k, dst)
			return
		}
		VCVTDQ2PS(dst, dst)
		return
	}
	switch t.name {
	case "Uint8":
		VPMOVZXBD(m, dst)
	case "Uint16":
		VPMOVZXWD(m, dst)
	case "Int16":
		VPMOVSXWD(m, dst)
	case "Float32":
		VMOVUPS(m, dst)
		return
	}
	VCVTDQ2PS(dst, dst)
}

func pointer(name string) reg.GPVirtual {
	r := GP64()
	Load(Param(name), r)
	return r
}

// at is memory at base + index + disp.
func at(base, index reg.Register, disp int) Mem {
	return Mem{Base: base, Index: index, Scale: 1, Disp: disp}
}

// mix is a + t·(b − a) into a; b is lost.
func mix(a, b, t Op) {
	VSUBPS(a, b, b)
	VMULPS(t, b, b)
	VADDPS(b, a, a)
}

func text(name, signature, doc string) {
	TEXT(name, NOSPLIT, signature)
	Doc(name + " " + doc)
	Pragma("noescape")
}

func label(parts ...any) string { return fmt.Sprint(parts...) }
