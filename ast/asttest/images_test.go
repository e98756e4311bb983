package asttest

import (
	"context"
	"image"
	"math"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
)

var _ ast.Describer = (*Images)(nil)

// What a reader of one band sees and what a reader of several sees agree.
func TestReadersAgree(t *testing.T) {
	ctx := context.Background()
	s := Standard()
	var buf raster.Buffer
	for _, uri := range s.URIs() {
		load := s.Load(uri)
		m, err := s.Describe(ctx, uri)
		if err != nil {
			t.Fatal(err)
		}
		bands := make([]int, len(m.Bands))
		for i := range bands {
			bands[i] = len(bands) - 1 - i
		}
		for level := range 1 + len(m.Overviews) {
			size, _ := load.LevelSize(level)
			w := image.Rect(size.W/3, size.H/4, size.W, size.H)
			if err := s.ReadInto(ctx, uri, level, w, bands, &buf); err != nil {
				t.Fatal(err)
			}
			for i, b := range bands {
				one, err := s.ReadWindow(ctx, load, level, w, b)
				if err != nil {
					t.Fatal(err)
				}
				if one.Type != m.Bands[b].Type {
					t.Errorf("%s band %d is read as %v", uri, b, one.Type)
				}
				for y := range one.H {
					for x := range one.W {
						p, pok := one.At(x, y, 0)
						q, qok := buf.At(x, y, i)
						if pok != qok || p != q && (pok || p == p) {
							t.Fatalf("%s level %d band %d at %d,%d: %v %v, and among all bands %v %v", uri, level, b, x, y, p, pok, q, qok)
						}
					}
				}
			}
		}
	}
}

func TestStandardImagesCoverTheHazards(t *testing.T) {
	seen := map[string]bool{}
	s := Standard()
	for _, uri := range s.URIs() {
		img, _ := s.Image(uri)
		full := img.Levels[0]
		seen[full.Type.String()] = true
		if img.Meta.HasMask {
			seen["mask"] = true
		}
		for b, band := range img.Meta.Bands {
			if b > 0 && band.NoData != img.Meta.Bands[0].NoData {
				seen["nodata that differs"] = true
			}
			if lo, hi := band.Type.Range(); band.HasNoData && (band.NoData < lo || band.NoData > hi) {
				seen["nodata out of range"] = true
			}
			for y := range full.H {
				for x := range full.W {
					v, ok := full.At(x, y, b)
					if band.HasNoData && v == band.NoData {
						seen["nodata"] = true
					}
					if math.IsInf(v, 0) {
						seen["infinity"] = true
					}
					if !ok {
						seen["invalid"] = true
					}
				}
			}
		}
		for _, o := range img.Meta.Overviews {
			if o != img.Meta.Size.Level(1) && o != img.Meta.Size.Level(2) && o != img.Meta.Size.Level(3) {
				seen["odd overview"] = true
			}
		}
	}
	for _, f := range []string{
		"uint8", "int8", "uint16", "int16", "uint32", "int32", "float32", "float64",
		"mask", "nodata", "nodata that differs", "nodata out of range", "infinity", "invalid", "odd overview",
	} {
		if !seen[f] {
			t.Errorf("no image has %s", f)
		}
	}
}

func TestReadErrors(t *testing.T) {
	ctx := context.Background()
	s := Standard()
	load := s.Load("tiny")
	for name, err := range map[string]error{
		"no image": second(s.Describe(ctx, "nowhere")),
		"no level": second(s.ReadWindow(ctx, load, 3, image.Rect(0, 0, 1, 1), 0)),
		"outside":  second(s.ReadWindow(ctx, load, 0, image.Rect(0, 0, 4, 1), 0)),
		"no band":  second(s.ReadWindow(ctx, load, 0, image.Rect(0, 0, 1, 1), 2)),
	} {
		if err == nil {
			t.Errorf("%s is no error", name)
		}
	}
}

func second[T any](_ T, err error) error { return err }
