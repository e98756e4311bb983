package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"strconv"
	"strings"

	"github.com/rewarp/rewarp"
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
)

// stretchFlag is --stretch auto or --stretch LO,HI.
type stretchFlag struct {
	set, auto bool
	lo, hi    float64
}

func (s *stretchFlag) Type() string { return "auto|LO,HI" }

func (s *stretchFlag) String() string {
	switch {
	case !s.set:
		return ""
	case s.auto:
		return "auto"
	}
	return fmt.Sprintf("%g,%g", s.lo, s.hi)
}

func (s *stretchFlag) Set(v string) error {
	*s = stretchFlag{set: true, auto: v == "auto"}
	if s.auto {
		return nil
	}
	lo, hi, ok := strings.Cut(v, ",")
	var err1, err2 error
	s.lo, err1 = strconv.ParseFloat(strings.TrimSpace(lo), 64)
	s.hi, err2 = strconv.ParseFloat(strings.TrimSpace(hi), 64)
	if !ok || err1 != nil || err2 != nil || !(s.lo < s.hi) || math.IsInf(s.hi-s.lo, 0) {
		return errors.New("expected auto, or two numbers such as 0,1, the lower first")
	}
	return nil
}

// apply is the pixels scaled to uint8. Auto goes through them once before.
func (s *stretchFlag) apply(ctx context.Context, p rewarp.Pixels) (rewarp.Pixels, error) {
	out := &stretched{Pixels: p, lo: s.lo, hi: s.hi}
	if s.auto {
		out.lo, out.hi = math.Inf(1), math.Inf(-1)
		err := p.Stream(ctx, func(_ image.Rectangle, tile *raster.Buffer) error {
			for _, v := range raster.Samples[float32](tile) {
				if v == v {
					out.lo, out.hi = min(out.lo, float64(v)), max(out.hi, float64(v))
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if !(out.lo < out.hi) { // one value, or none
			out.hi = out.lo + 1
		}
	}
	return out, nil
}

// stretched is float32 pixels scaled to uint8.
type stretched struct {
	rewarp.Pixels
	lo, hi float64
}

func (s *stretched) Type() raster.DataType { return raster.Uint8 }

func (s *stretched) Bands() []ast.Band {
	var bands []ast.Band
	for _, b := range s.Pixels.Bands() {
		bands = append(bands, ast.Band{Name: b.Name, Type: raster.Uint8})
	}
	return bands
}

func (s *stretched) Stream(ctx context.Context, emit emitter, opts ...eval.RunOption) error {
	var out raster.Buffer
	return s.Pixels.Stream(ctx, func(window image.Rectangle, tile *raster.Buffer) error {
		mask := out.Mask
		out.Reset(raster.Uint8, tile.W, tile.H, tile.Bands)
		n := out.Len()
		if cap(mask) < n {
			mask = make([]byte, n)
		}
		out.Mask = mask[:n]
		pix := raster.Samples[uint8](&out)
		scale := 255 / (s.hi - s.lo)
		for i, v := range raster.Samples[float32](tile) {
			if v != v {
				pix[i], out.Mask[i] = 0, 0
				continue
			}
			pix[i], out.Mask[i] = uint8(raster.Uint8.Round((float64(v)-s.lo)*scale)), 255
		}
		return emit(window, &out)
	}, opts...)
}
