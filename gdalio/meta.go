package gdalio

import (
	"math"
	"slices"
	"strconv"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

func (in *info) meta() ast.Meta {
	m := ast.Meta{
		Size:      in.size,
		Bands:     make([]ast.Band, len(in.bands)),
		Block:     in.block,
		Overviews: slices.Clone(in.levels),
		HasMask:   in.hasMask(),
		Geo:       in.geoRef(),
	}
	rgb := in.hasRGB()
	for i, b := range in.bands {
		v, has := storedNoData(b.typ, b.noData, b.hasNoData)
		m.Bands[i] = ast.Band{Name: bandName(i, b, rgb), Type: b.typ, NoData: v, HasNoData: has}
	}
	return m
}

func (in *info) hasMask() bool {
	return slices.ContainsFunc(in.bands, func(b bandInfo) bool { return b.mask != maskNone })
}

func (in *info) hasRGB() bool {
	has := [colorAlpha + 1]bool{}
	for _, b := range in.bands {
		has[b.color] = true
	}
	return has[colorRed] && has[colorGreen] && has[colorBlue]
}

func bandName(i int, b bandInfo, rgb bool) string {
	switch {
	case b.name != "":
		return b.name
	case b.color == colorAlpha:
		return alphaName
	case rgb && b.color != colorOther:
		return rgbNames[b.color-colorRed]
	}
	return strconv.Itoa(i + 1)
}

const alphaName = "alpha"

var rgbNames = [...]string{"r", "g", "b"}

// storedNoData is the value that a sample of type t is compared with: the
// declared one as t stores it, or none where no finite sample can have it. NaN
// is none, since it is invalid undeclared.
func storedNoData(t raster.DataType, v float64, has bool) (float64, bool) {
	if !has || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, false
	}
	if t == raster.Float32 {
		// A value written in decimal may lie a hair beyond the largest float32.
		if a := math.Abs(v); a > math.MaxFloat32 && a <= math.MaxFloat32*(1+1e-10) {
			return math.Copysign(math.MaxFloat32, v), true
		}
		f := float64(float32(v))
		return f, !math.IsInf(f, 0)
	}
	if r := t.Round(v); r != v {
		return 0, false
	}
	return v, true
}

func (in *info) geoRef() *ast.GeoRef {
	if in.geo == nil {
		return nil
	}
	g := in.geo
	t := geom.Affine(g[1], g[2], g[0], g[4], g[5], g[3])
	if !t.IsFinite() {
		return nil
	}
	return &ast.GeoRef{Transform: t, SRS: in.srs}
}

// sameShape tells what differs, in words, between a raster and what it was when
// it was first opened; empty when a read gives the same kind of samples.
func (in *info) sameShape(was *info) string {
	switch {
	case in.size != was.size:
		return "its size is now " + in.size.String() + ", was " + was.size.String()
	case in.count != was.count:
		return "it has " + strconv.Itoa(in.count) + " bands now, had " + strconv.Itoa(was.count)
	case !slices.Equal(in.levels, was.levels):
		return "its overviews are not those that it had"
	}
	for i, b := range in.bands {
		w := was.bands[i]
		v, has := storedNoData(b.typ, b.noData, b.hasNoData)
		wv, whas := storedNoData(w.typ, w.noData, w.hasNoData)
		switch {
		case b.typ != w.typ:
			return "band " + strconv.Itoa(i+1) + " is " + b.typ.String() + " now, was " + w.typ.String()
		case v != wv || has != whas:
			return "the nodata value of band " + strconv.Itoa(i+1) + " is not what it was"
		case b.mask != w.mask:
			return "the mask of band " + strconv.Itoa(i+1) + " is not what it was"
		}
	}
	return ""
}
