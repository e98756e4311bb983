package ast_test

import (
	"errors"
	"image"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

var dataTypes = []raster.DataType{
	raster.Uint8, raster.Int8, raster.Uint16, raster.Int16, raster.Uint32, raster.Int32, raster.Float32, raster.Float64,
}

func drawBands(t *rapid.T, n int, t0 raster.DataType) []ast.Band {
	bands := ast.NumberedBands(n, t0)
	oneNoData := rapid.Bool().Draw(t, "one nodata")
	for i := range bands {
		if t0 == raster.Unknown {
			bands[i].Type = rapid.SampledFrom(dataTypes).Draw(t, "type")
		}
		if rapid.Bool().Draw(t, "named") {
			bands[i].Name = rapid.String().Draw(t, "name")
		}
		if i > 0 && oneNoData {
			bands[i].NoData, bands[i].HasNoData = bands[0].NoData, bands[0].HasNoData
		} else if rapid.Bool().Draw(t, "has nodata") {
			bands[i].HasNoData = true
			bands[i].NoData = rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, -9999, math.NaN(), math.Inf(1), math.Inf(-1)})).Draw(t, "nodata")
		}
	}
	return bands
}

// TestLeavesComeBack draws leaves with everything that they can carry.
func TestLeavesComeBack(t *testing.T) {
	uri := rapid.String().Filter(func(s string) bool { return s != "" })
	size := rapid.Custom(func(t *rapid.T) geom.Size {
		return geom.Size{W: rapid.IntRange(1, 9).Draw(t, "w"), H: rapid.IntRange(1, 9).Draw(t, "h")}
	})
	rapid.Check(t, func(t *rapid.T) {
		s := size.Draw(t, "size")
		count := rapid.IntRange(1, 4).Draw(t, "bands")
		t0 := raster.Unknown
		if rapid.Bool().Draw(t, "one type") {
			t0 = rapid.SampledFrom(dataTypes).Draw(t, "type")
		}
		bands := drawBands(t, count, t0)
		var leaf ast.Node
		var err error
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 0:
			m := ast.Meta{Size: s, Bands: bands, HasMask: rapid.Bool().Draw(t, "mask")}
			m.Overviews = rapid.SliceOfN(rapid.Just(geom.Size{W: 1, H: 1}), 0, 3).Draw(t, "overviews")
			if rapid.Bool().Draw(t, "block") {
				m.Block = size.Draw(t, "block size")
			}
			if rapid.Bool().Draw(t, "geo") {
				f := func(name string) float64 { return rapid.Float64Range(-1e6, 1e6).Draw(t, name) }
				m.Geo = &ast.GeoRef{Transform: geom.Affine(f("a"), f("b"), f("c"), f("d"), f("e"), f("f")), SRS: rapid.String().Draw(t, "srs")}
			}
			channels := rapid.SampledFrom([]string{"", "B.0:" + string(rune('0'+count))}).Draw(t, "channels")
			leaf, err = ast.NewLoadMeta(uri.Draw(t, "uri"), channels, m)
		case 1:
			if rapid.Bool().Draw(t, "invalid") {
				leaf, err = ast.NewInvalid(s, bands)
			} else {
				leaf, err = ast.NewFill(s, bands, float64(rapid.IntRange(0, 127).Draw(t, "value")))
			}
		default:
			if t0 == raster.Unknown {
				t0 = raster.Float32
			}
			leaf, err = ast.NewRaster(drawPixels(t, t0, s, count), bands)
		}
		if err != nil {
			t.Fatal(err)
		}
		checkRoundTrip(t, leaf)
	})
}

func drawPixels(t *rapid.T, dt raster.DataType, s geom.Size, bands int) *raster.Buffer {
	pix := raster.New(dt, s.W, s.H, bands)
	mask := rapid.Bool().Draw(t, "pixel mask")
	for y := range s.H {
		for x := range s.W {
			for b := range bands {
				pix.Set(x, y, b, rapid.Float64().Draw(t, "sample"))
				if mask && rapid.Bool().Draw(t, "hole") {
					pix.SetInvalid(x, y, b, 0)
				}
			}
		}
	}
	return pix
}

func TestBaseFolder(t *testing.T) {
	n, err := ast.ParseJSON([]byte(`{"version": 1, "tree": {"op": "load", "uri": "../a.tif"}}`), ast.BaseFolder("/data/trees"))
	if err != nil || n.(*ast.Load).URI() != "/data/a.tif" {
		t.Errorf("%v, %v", n, err)
	}
	n, err = ast.ParseExpr(`(load b.tif)`, ast.BaseFolder("/data"))
	if err != nil || n.(*ast.Load).URI() != "/data/b.tif" {
		t.Errorf("%v, %v", n, err)
	}
}

// fielded is a custom node whose fields are whatever a test wants.
type fielded struct {
	ast.Base
	fields string
	err    error
}

func (f *fielded) Op() string         { return "x-fielded" }
func (f *fielded) NumInputs() int     { return 0 }
func (f *fielded) Input(int) ast.Node { return nil }
func (f *fielded) Traits() ast.Traits { return ast.Traits{} }
func (f *fielded) WithInputs([]ast.Node) (ast.Node, error) {
	return f, nil
}
func (f *fielded) MarshalFields() ([]byte, error) { return []byte(f.fields), f.err }
func (f *fielded) EvalTile(*raster.Buffer, image.Rectangle, []ast.Tile) error {
	return nil
}

func TestFieldsOfCustomNodes(t *testing.T) {
	for _, c := range []struct {
		n         ast.Node
		want, err string
	}{
		{n: &fielded{fields: "{\"a\": [1,\n 2]}"}, want: `{"op": "x-fielded", "a": [1,2]}`},
		{n: &fielded{fields: `{}`}, want: `{"op": "x-fielded"}`},
		{n: &fielded{fields: `[1]`}, err: "no JSON object"},
		{n: &fielded{fields: `{"a": }`}, err: "no JSON object"},
		{n: &fielded{fields: `{"op": "load"}`}, err: `x-fielded "op" is not a field`},
		{n: &fielded{fields: `{"input": null}`}, err: `"input" is not a field`},
		{n: &fielded{err: errors.New("boom")}, err: "boom"},
		{n: struct{ ast.Custom }{&fielded{}}, err: "no method MarshalFields"},
	} {
		data, err := ast.MarshalTree(c.n)
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("error %v, want %q", err, c.err)
			}
		case err != nil || !strings.Contains(string(data), c.want):
			t.Errorf("%s, %v, want %s", data, err, c.want)
		}
	}
}

// TestLongChannelsError: a spec of many bands is not shown whole by the error
// that says that the raster has others.
func TestLongChannelsError(t *testing.T) {
	spec := strings.Repeat("band|", 9999) + "band"
	_, err := ast.NewLoadMeta("a.tif", spec, ast.Meta{Size: geom.Size{W: 1, H: 1}, Bands: ast.NumberedBands(1, raster.Uint8)})
	if err == nil || len(err.Error()) > 300 || !strings.Contains(err.Error(), "names 10000 bands, the raster has 1") {
		t.Errorf("error %.400v", err)
	}
}
