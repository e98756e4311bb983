package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// corners computes the weights of cornersGo. Its fields are constants: in
// registers with AVX-512, else in memory.
type corners struct {
	wide                   bool
	half, most, whole, low Op
	one                    reg.VecVirtual // 2¹⁶, as float32
}

func newCorners(wide bool) *corners {
	fill := func(name string, v uint32) Op {
		if wide {
			return splat(true, v)
		}
		return int32s(name, 8, func(int) int32 { return int32(v) })
	}
	return &corners{wide, fill("weightHalf", 0x3f000000), fill("weightMost", 1<<16-1), fill("weightWhole", 1<<16), fill("weightLow", 0x00ff00ff), splatFloat(wide, 1<<16)}
}

// pairs are the weights of the taps by pairs of words, the left tap first: those
// above and those below. With x and y the other way round they are those on the
// left, the upper one first, and those on the right.
func (c *corners) pairs(x, y Mem) (first, second reg.VecVirtual) {
	fraction := func(m Mem) reg.VecVirtual {
		v := vector(c.wide)
		VMULPS(m, c.one, v)
		VADDPS(c.half, v, v)
		VCVTTPS2DQ(v, v)
		VPMINUD(c.most, v, v)
		return v
	}
	fx, fy := fraction(x), fraction(y)
	both, none := vector(c.wide), vector(c.wide)
	VPMULHUW(fy, fx, both)
	move(c.wide, c.whole, none)
	VPSUBD(fx, none, none)
	VPSUBD(both, fy, fy)
	VPSUBD(fy, none, none)
	VPMINUD(c.most, none, none)
	VPSUBD(both, fx, fx)
	VPSLLD(U8(16), fx, fx)
	VPSLLD(U8(16), both, both)
	either(c.wide, fx, none)
	either(c.wide, both, fy)
	return none, fy
}

// digits are the low and the high bytes of pairs of weights: the first of the
// one, the first of the other, the second of the one, the second of the other.
func (c *corners) digits(first, second reg.VecVirtual) (low, high reg.VecVirtual) {
	low, high = ZMM(), ZMM()
	VPSLLD(U8(8), second, low)
	VPTERNLOGD(U8(0xd8), c.low, first, low) // of first where c.low is set
	VPSRLD(U8(8), first, high)
	VPTERNLOGD(U8(0xe4), c.low, second, high) // of second where it is not
	return low, high
}

func move(wide bool, from Op, to reg.VecVirtual) {
	if wide {
		VMOVDQA32(from, to)
	} else {
		VMOVDQU(from, to)
	}
}

// either is a | b into b.
func either(wide bool, a Op, b reg.VecVirtual) {
	if wide {
		VPORD(a, b, b)
	} else {
		VPOR(a, b, b)
	}
}
