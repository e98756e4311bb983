package vrt

import (
	"math"
	"strconv"
	"strings"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// direct is n's canvas as a warped dataset itself, where it is one and needs no
// mask band; nil otherwise.
func (e *exporter) direct(n ast.Node, bands []int, planes []plane, warps []warpBand, m mode) *elem {
	g := warps[0].group
	if g == nil || len(g.bands) != len(bands) || m == rounded && e.marks(n, bands, planes) {
		return nil
	}
	named := *g
	named.bands = make([]warpedBand, len(bands))
	for i, p := range planes {
		f := formatOf(n, bands[i], rounded)
		if warps[i] != (warpBand{g, i}) || p.off.X != 0 || p.off.Y != 0 || p.show != n.Size().Bounds() || p.node.Size() != n.Size() ||
			m == rounded && !f.equal(g.bands[i].format) {
			return nil
		}
		named.bands[i] = warpedBand{g.bands[i].band, f}
	}
	return e.warped(&named, m)
}

// nudge, in pixels of the input, moves what a warped dataset reads. An edge
// belongs to the pixel on its right or below, and rounding in the transform
// must not tell GDAL otherwise.
const nudge = 0x1p-31

// nudged is what a group's canvas reads, moved by more than the nudge where
// that makes a pixel's point count as on an edge that it lies close to.
func (g *warpGroup) nudged() geom.Transform {
	const (
		wide = 0.9 * geom.EdgeTolerance
		most = 1 << 20 // pixels to look at
	)
	by := nudge
	near := func(u float64) bool { d := math.Ceil(u) - u; return d > nudge/2 && d <= geom.EdgeTolerance }
	for y := 0; y < g.size.H && y*g.size.W < most; y++ {
		for x := 0; x < g.size.W && y*g.size.W+x < most; x++ {
			if u, v := g.inv.Apply(float64(x)+0.5, float64(y)+0.5); near(u) || near(v) {
				by = wide
			}
		}
	}
	return geom.Translate(by, by).Mul(g.inv)
}

// warped is the dataset of a group.
func (e *exporter) warped(g *warpGroup, m mode) *elem {
	src, formats := e.sampledDataset(g)
	d := newDataset(g.size).with("subClass", "VRTWarpedDataset")
	list := el("BandList")
	init := make([]string, len(g.bands))
	for i, b := range g.bands {
		f := b.format.in(m)
		if f.typ == raster.Int8 {
			e.refuse(g.path, g.input.Op(), "band %d is int8, which GDAL before 3.7 has no type for", b.band)
		}
		d.add(f.elem(i+1).with("subClass", "VRTWarpedRasterBand"))
		mapping := el("BandMapping").with("src", strconv.Itoa(formats[i].band)).with("dst", strconv.Itoa(i+1))
		if s := formats[i].format; s.has {
			mapping.add(leaf("SrcNoDataReal", format(s.nodata)), leaf("SrcNoDataImag", "0"))
		}
		init[i] = "0"
		if f.has {
			mapping.add(leaf("DstNoDataReal", format(f.nodata)), leaf("DstNoDataImag", "0"))
			init[i] = format(f.nodata)
		}
		list.add(mapping)
	}
	fx, fy := g.sampling.Stretch(g.inv.Jacobian(0, 0))
	unified := "NO"
	if len(g.bands) == 1 {
		unified = "YES"
	}
	_, kernel := kernelNames(g.sampling.Interp)
	inv := g.nudged()
	forward, _ := inv.Inverse()
	option := func(name, value string) *elem { return leaf("Option", value).with("name", name) }
	d.add(
		leaf("BlockXSize", strconv.Itoa(min(512, g.size.W))),
		leaf("BlockYSize", strconv.Itoa(min(128, g.size.H))),
		el("GDALWarpOptions",
			leaf("WarpMemoryLimit", "67108864"),
			leaf("ResampleAlg", kernel),
			leaf("WorkingDataType", "Float64"),
			option("INIT_DEST", strings.Join(init, ",")),
			option("UNIFIED_SRC_NODATA", unified),
			option("XSCALE", format(1/fx)),
			option("YSCALE", format(1/fy)),
			src,
			el("Transformer", el("GenImgProjTransformer",
				leaf("SrcGeoTransform", "0,1,0,0,0,1"),
				leaf("SrcInvGeoTransform", "0,1,0,0,0,1"),
				leaf("DstGeoTransform", strings.ReplaceAll(geoText(inv), " ", "")),
				leaf("DstInvGeoTransform", strings.ReplaceAll(geoText(forward), " ", "")),
			)),
			list,
		))
	return d
}

// sampledDataset is what a group reads, and for each of its bands the band and
// the format there.
func (e *exporter) sampledDataset(g *warpGroup) (*elem, []warpedBand) {
	out := make([]warpedBand, len(g.bands))
	if l, ok := g.input.(*ast.Load); ok && g.q == nil && !l.HasMask() && plainLoad(l) {
		for i, b := range g.bands {
			f := e.file(l, 0, plane{node: l, band: b.band, path: g.path})
			out[i] = warpedBand{b.band + 1, f.format.in(rounded)}
		}
		return e.name("SourceDataset", l.URI(), e.depth > 0), out
	}
	m := exact
	var bands []int
	at := map[int]int{}
	for _, b := range g.bands {
		if _, ok := at[b.band]; !ok {
			at[b.band] = len(bands)
			bands = append(bands, b.band)
		}
	}
	if g.q == nil && e.storedAsIs(g.input, bands) {
		m = rounded
	}
	e.depth++
	d := e.dataset(g.input, bands, g.q, m, g.path)
	e.depth--
	for i, b := range g.bands {
		f := formatOf(g.input, b.band, m)
		f.name = ""
		out[i] = warpedBand{at[b.band] + 1, f}
	}
	return leaf("SourceDataset", e.inline(d)).with("relativeToVRT", "0"), out
}

// plainLoad reports whether a file's invalid samples are those of one nodata
// value a band.
func plainLoad(l *ast.Load) bool {
	for i := range l.NumBands() {
		if b := l.Band(i); b.Type.IsFloat() && b.HasNoData && !math.IsNaN(b.NoData) {
			return false // NaN as well as the nodata value
		}
	}
	return true
}

// storedAsIs reports whether the types of some bands of a source hold its
// samples, with what is invalid.
func (e *exporter) storedAsIs(n ast.Node, bands []int) bool {
	for _, b := range bands {
		if !isSource(n, b) {
			return false
		}
		p := follow(n, b, nil, "")
		if p.q != nil {
			return false
		}
		f := formatOf(n, b, rounded)
		if f.typ == raster.Float32 || f.typ == raster.Float64 {
			return false
		}
		if holes, _ := e.holes(n.Size(), p); holes && !f.has {
			return false
		}
	}
	return true
}
