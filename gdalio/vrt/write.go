package vrt

import (
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// WriteOptions change how a VRT is written. The zero value is the default.
type WriteOptions struct {
	// Dir is the folder that the VRT will lie in. Names of local files are then
	// written relative to it where GDAL allows that, which is everywhere but in
	// datasets inside the VRT. Empty, all names are written as they are.
	Dir string
}

// Write writes a tree, whose metadata is known, as a VRT from which GDAL makes
// the pixels that the tree means.
//
// A VRT has crops, pads, choices of bands, whole-pixel copies, stored
// overviews, dequantizes and constants, and affine warps under a nodata border;
// see docs/interchange.md for the whole table. Everything else is listed in an
// *UnsupportedError, and nothing is written. An optimized tree has fewer nodes
// that clip, so that more of it can be written.
//
// Invalid is NaN in float bands without a nodata value. An integer band without
// one gets a mask band where all bands share one, and else a note.
func Write(w io.Writer, n ast.Node, opts WriteOptions) ([]Note, error) {
	e, root, err := export(n, opts)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	root.write(&b, 0)
	b.WriteString("\n")
	if b.Len() > MaxBytes {
		return nil, fmt.Errorf("the VRT exceeds %d MiB; a tree that shares subtrees is written out once a use", MaxBytes>>20)
	}
	_, err = io.WriteString(w, b.String())
	return e.notes, err
}

func export(n ast.Node, opts WriteOptions) (*exporter, *elem, error) {
	if n == nil {
		return nil, nil, errors.New("no tree to write")
	}
	if !n.Known() {
		return nil, nil, &ast.Error{Op: n.Op(), Arg: "canvas", Limit: "is unknown until the tree is prepared"}
	}
	e := &exporter{opts: opts, written: map[string]*elem{}}
	d := e.whole(n, rounded)
	if err := e.err("VRT", false); err != nil {
		return nil, nil, err
	}
	if e.tooLarge {
		return nil, nil, fmt.Errorf("the VRT exceeds %d MiB; a tree that shares subtrees is written out once a use", MaxBytes>>20)
	}
	root := e.georeference(n, d)
	return e, root, nil
}

// mode is how a dataset stores a canvas.
type mode uint8

const (
	rounded mode = iota // each band in its own type
	exact               // float64, unrounded, NaN where invalid
)

type exporter struct {
	findings
	opts     WriteOptions
	written  map[string]*elem // datasets, by what they show
	total    int              // bytes of what is written inline
	tooLarge bool
	depth    int // of the dataset being written, 0 for the VRT itself
}

// plane is one band of a canvas, followed down to the node that makes its
// pixels.
type plane struct {
	node ast.Node
	band int // of node
	path string
	off  image.Point     // of node's origin on the canvas
	show image.Rectangle // what shows of node on the canvas; the rest is invalid
	q    *ast.Quantization
}

// follow goes down from a band of n, under a dequantize q, through all that
// only moves pixels by whole steps.
func follow(n ast.Node, band int, q *ast.Quantization, path string) plane {
	p := plane{node: n, band: band, show: n.Size().Bounds(), q: q, path: path}
	into := func(in ast.Node, by image.Point) {
		p.off = p.off.Add(by)
		p.show = p.show.Intersect(in.Size().Bounds().Add(p.off))
		p.node = in
		p.path = join(p.path, in.Op())
	}
	for {
		switch t := p.node.(type) {
		case *ast.Crop:
			p.band = t.Pick(p.band)
			into(t.Input(0), image.Point{}.Sub(t.Window().Min))
			continue
		case *ast.Pad:
			left, top, _, _ := t.Margins()
			into(t.Input(0), image.Pt(left, top))
			continue
		case *ast.Dequantize:
			q := t.Quantization()
			p.q = &q
			into(t.Input(0), image.Point{})
			continue
		case *ast.Overview:
			if t.Size() == t.Input(0).Size() {
				into(t.Input(0), image.Point{})
				continue
			}
		case *ast.Warp:
			if t.IsNoOp() {
				into(t.Input(0), image.Point{})
				continue
			}
			if m, ok := t.IsCopy(); ok && m[0] == 1 && m[4] == 1 {
				into(t.Input(0), image.Pt(int(m[2]), int(m[5])))
				continue
			}
		case *ast.Concat:
			part, band := t.Part(p.band)
			p.band = band
			p.node = t.Input(part)
			p.path = join(p.path, strconv.Itoa(part)+"/"+p.node.Op())
			continue
		}
		return p
	}
}

// whole is a dataset of all bands of n.
func (e *exporter) whole(n ast.Node, m mode) *elem {
	bands := make([]int, n.NumBands())
	for i := range bands {
		bands[i] = i
	}
	return e.dataset(n, bands, nil, m, n.Op())
}

// dataset is a dataset of some bands of n's canvas, under a dequantize q.
func (e *exporter) dataset(n ast.Node, bands []int, q *ast.Quantization, m mode, path string) *elem {
	key := fmt.Sprintf("%p %v %v %d %v", n, bands, quantKey(q), m, e.depth > 0)
	if d := e.written[key]; d != nil {
		return d
	}
	planes := make([]plane, len(bands))
	for i, b := range bands {
		planes[i] = follow(n, b, q, path)
	}
	warps := e.warps(planes)
	d := e.direct(n, bands, planes, warps, m)
	if d == nil {
		d = newDataset(n.Size())
		marks := m == rounded && e.marks(n, bands, planes)
		for i, p := range planes {
			f := formatOf(n, bands[i], m)
			if f.typ == raster.Int8 {
				e.refuse(path, n.Op(), "band %d is int8, which GDAL before 3.7 has no type for", bands[i])
			}
			d.add(f.elem(i + 1).add(e.sources(f, p, e.feed(p, warps[i], m))...))
		}
		if marks {
			d.add(e.mask(n, bands[0], q, path))
		}
	}
	e.written[key] = d
	return d
}

func quantKey(q *ast.Quantization) string {
	if q == nil {
		return "-"
	}
	return fmt.Sprint(*q)
}

func newDataset(s geom.Size) *elem {
	return el("VRTDataset").with("rasterXSize", strconv.Itoa(s.W)).with("rasterYSize", strconv.Itoa(s.H))
}

// bandFormat is how a band of a VRT stores samples.
type bandFormat struct {
	name   string
	typ    raster.DataType
	nodata float64
	has    bool // a nodata value; in a float band it may be NaN
}

// formatOf is how band i of n's canvas is stored.
func formatOf(n ast.Node, i int, m mode) bandFormat {
	b := n.Band(i)
	return bandFormat{name: b.Name, typ: b.Type, nodata: b.NoData, has: b.HasNoData}.in(m)
}

// in is the format under a mode: a float band marks what is invalid by NaN if
// by nothing else, and a nodata value that no sample can have is none.
func (f bandFormat) in(m mode) bandFormat {
	switch {
	case m == exact:
		f.typ, f.nodata, f.has = raster.Float64, math.NaN(), true
	case f.typ.IsFloat() && !f.has:
		f.nodata, f.has = math.NaN(), true
	case f.has && !f.typ.IsFloat() && f.typ.Round(f.nodata) != f.nodata:
		f.has = false // a value that no sample can have
	}
	return f
}

// elem is the band without its sources.
func (f bandFormat) elem(number int) *elem {
	b := el("VRTRasterBand").with("dataType", gdalType(f.typ)).with("band", strconv.Itoa(number))
	if f.name != "" && f.name != strconv.Itoa(number) && writable(f.name) {
		b.add(leaf("Description", f.name))
	}
	if f.has {
		b.add(leaf("NoDataValue", format(f.nodata)))
	}
	return b
}

// name gives the SourceFilename or SourceDataset of a file.
func (e *exporter) name(tag, uri string, inline bool) *elem {
	relative := "0"
	if e.opts.Dir != "" && !inline && isLocal(uri) {
		if r, err := filepath.Rel(e.opts.Dir, uri); err == nil {
			uri, relative = filepath.ToSlash(r), "1"
		}
	}
	return leaf(tag, uri).with("relativeToVRT", relative)
}

// isLocal reports whether a uri is a plain file name rather than something else
// that GDAL opens: a /vsi path, a url, a subdataset, an inline dataset.
func isLocal(uri string) bool {
	return !strings.HasPrefix(uri, "/vsi") && !strings.ContainsAny(uri, ":<")
}

// inline is a dataset as a name that GDAL opens.
func (e *exporter) inline(d *elem) string {
	if e.tooLarge {
		return ""
	}
	s := d.String()
	if e.total += len(s); e.total > MaxBytes {
		e.tooLarge = true
		return ""
	}
	return s
}

// georeference adds where the canvas lies, when all its bands lie alike.
func (e *exporter) georeference(n ast.Node, d *elem) *elem {
	maps, complete := ast.Leaves(n)
	if !complete || len(maps) != 1 {
		return d
	}
	l, ok := maps[0].Leaf.(*ast.Load)
	if !ok {
		return d
	}
	meta, _ := l.Meta()
	inv, ok := maps[0].Transform.Inverse()
	if meta.Geo == nil || !ok || !inv.IsAffine() {
		return d
	}
	g := meta.Geo.Transform.Mul(inv)
	c := *d
	c.kids = nil
	if meta.Geo.SRS != "" && writable(meta.Geo.SRS) {
		c.add(leaf("SRS", meta.Geo.SRS))
	}
	c.add(leaf("GeoTransform", geoText(g)))
	c.add(d.kids...)
	return &c
}

// geoText writes an affine transform in GDAL's order.
func geoText(t geom.Transform) string {
	v := [6]float64{t[2], t[0], t[1], t[5], t[3], t[4]}
	s := make([]string, len(v))
	for i := range v {
		s[i] = format(v[i])
	}
	return strings.Join(s, ", ")
}
