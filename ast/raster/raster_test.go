package raster_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/rewarp/rewarp/ast/raster"
)

func TestRound(t *testing.T) {
	for _, c := range []struct {
		t    raster.DataType
		v    float64
		want float64
	}{
		{raster.Int16, 2.5, 3},
		{raster.Int16, -2.5, -3},
		{raster.Int16, 2.4999995, 3}, // within 1e-6 of the half
		{raster.Int16, 2.499998, 2},
		{raster.Int16, -2.4999995, -3},
		{raster.Int16, -0.2, 0},
		{raster.Uint8, -3, 0},
		{raster.Uint8, 255.6, 255},
		{raster.Int8, -1e9, -128},
		{raster.Uint32, 1e12, math.MaxUint32},
		{raster.Int32, math.Inf(-1), math.MinInt32},
		{raster.Uint8, math.NaN(), 0},
		{raster.Float32, 0.1, float64(float32(0.1))},
		{raster.Float64, 0.1, 0.1},
	} {
		got := c.t.Round(c.v)
		if got != c.want || math.Signbit(got) != math.Signbit(c.want) {
			t.Errorf("%v.Round(%v) = %v, want %v", c.t, c.v, got, c.want)
		}
	}
}

func TestCommonHoldsBoth(t *testing.T) {
	for a := raster.Uint8; a <= raster.Float64; a++ {
		for b := raster.Uint8; b <= raster.Float64; b++ {
			c := raster.Common(a, b)
			if c != raster.Common(b, a) {
				t.Errorf("Common(%v, %v) = %v, the other way %v", a, b, c, raster.Common(b, a))
			}
			for _, u := range []raster.DataType{a, b} {
				lo, hi := u.Range()
				if c.Round(lo) != lo || c.Round(hi) != hi {
					t.Errorf("Common(%v, %v) = %v does not hold the range of %v", a, b, c, u)
				}
			}
		}
	}
	if got := raster.Common(raster.Uint8, raster.Int8); got != raster.Int16 {
		t.Errorf("uint8 and int8: %v, want int16", got)
	}
}

func TestParseDataType(t *testing.T) {
	for a := raster.Uint8; a <= raster.Float64; a++ {
		if got, err := raster.ParseDataType(a.String()); got != a || err != nil {
			t.Errorf("%v reads back as %v, %v", a, got, err)
		}
	}
	if _, err := raster.ParseDataType("float16"); err == nil {
		t.Error("float16 is accepted")
	}
	if got := raster.DataType(77).String(); got != "type(77)" {
		t.Errorf("what is no type reads %q", got)
	}
}

func TestClass(t *testing.T) {
	for _, v := range []float64{0, 1, 4, -3, 255, 70000} {
		for _, noise := range []float64{0, 1e-13, -1e-13} {
			if got := raster.Class(v + noise*max(1, math.Abs(v))); got != v {
				t.Errorf("Class(%v%+g) = %v", v, noise, got)
			}
		}
	}
	if raster.Class(0.25) == raster.Class(0.2501) {
		t.Error("two values are one class")
	}
}

func TestBuffer(t *testing.T) {
	for typ := raster.Uint8; typ <= raster.Float64; typ++ {
		b := raster.New(typ, 3, 2, 2)
		b.Set(2, 1, 1, 7)
		if v, ok := b.At(2, 1, 1); v != 7 || !ok {
			t.Errorf("%v: got %v %v", typ, v, ok)
		}
		b.SetInvalid(0, 1, 0, 9)
		if v, ok := b.At(0, 1, 0); ok || !typ.IsFloat() && v != 9 {
			t.Errorf("%v: invalid sample is %v, valid %v", typ, v, ok)
		}
		if _, ok := b.At(1, 1, 0); !ok {
			t.Errorf("%v: its neighbour is invalid too", typ)
		}
		if b.Set(0, 1, 0, 1); b.Mask != nil && b.Mask[6*2/2] == 0 {
			t.Errorf("%v: a sample that is set stays invalid", typ)
		}
		if got, want := len(b.Bytes()), 12*typ.Size(); got != want {
			t.Errorf("%v: %d bytes, want %d", typ, got, want)
		}
		c := b.Clone()
		c.Set(1, 0, 0, 5)
		if v, _ := b.At(1, 0, 0); v != 0 {
			t.Errorf("%v: a clone shares its samples", typ)
		}
	}
}

func TestResetKeepsTheStore(t *testing.T) {
	b := raster.New(raster.Float64, 10, 10, 1)
	if n := testing.AllocsPerRun(100, func() { b.Reset(raster.Uint16, 20, 10, 2) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestBufferPanics(t *testing.T) {
	for name, f := range map[string]func(){
		"negative":   func() { raster.New(raster.Uint8, -1, 1, 1) },
		"too large":  func() { raster.New(raster.Uint8, 1<<31, 1<<31, 4) },
		"other type": func() { raster.Samples[int8](raster.New(raster.Uint8, 1, 1, 1)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

func ExampleFromSlice() {
	b, err := raster.FromSlice([]uint8{1, 2, 3, 4, 5, 6}, 3, 2, 1)
	if err != nil {
		panic(err)
	}
	v, ok := b.At(2, 1, 0)
	fmt.Println(b.Type, v, ok)
	// Output: uint8 6 true
}
