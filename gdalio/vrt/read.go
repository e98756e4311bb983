package vrt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// ReadOptions change how a VRT is read. The zero value is the default.
type ReadOptions struct {
	// Dir is the folder of the VRT, where the names in it that are relative to
	// it start.
	Dir string

	// Describer looks up the metadata of the files that the VRT names, so that
	// sizes, types and nodata values are checked against it. Nil opens nothing:
	// what the VRT says about its files is taken to be so, and the tree's loads
	// have no metadata yet.
	Describer ast.Describer
}

// Read reads a VRT as a tree: simple and complex sources, one a band, and warps
// by an affine map, with datasets inside the VRT read alike. A load is one of
// the files that the VRT names.
//
// What has no form in a tree is listed in an *UnsupportedError. The notes name
// what is left out, such as metadata, and what was taken to be so.
func Read(ctx context.Context, r io.Reader, opts ReadOptions) (ast.Node, []Note, error) {
	left := &budget{maxElements}
	root, err := parseXML(r, left)
	if err != nil {
		return nil, nil, fmt.Errorf("VRT: %w", err)
	}
	in := &importer{ctx: ctx, opts: opts, left: left, loads: map[string]*ast.Load{}}
	c, err := in.dataset(root, "", 0)
	if err != nil {
		return nil, nil, err
	}
	var n ast.Node
	if c != nil && len(in.unsupported) == 0 {
		n = in.settle(c)
	}
	if err := in.err("VRT", true); err != nil {
		return nil, nil, err
	}
	return n, in.notes, nil
}

type importer struct {
	findings
	ctx   context.Context
	opts  ReadOptions
	left  *budget
	loads map[string]*ast.Load
}

// canvas is a dataset as a tree, with what the dataset says of its bands, which
// the tree's own may differ from.
type canvas struct {
	node    ast.Node
	size    geom.Size // zero when unknown
	bands   []bandFormat
	known   bool // bands tells types and nodata values
	file    bool
	mask    bool // a file's own mask
	partial bool // some pixels come from no source
	sampled bool // some are resampled
}

// malformed is the error of a text that is no VRT.
func (in *importer) malformed(path, what string, a ...any) error {
	if path == "" {
		path = "VRTDataset"
	}
	return fmt.Errorf("VRT: %s: %s", path, fmt.Sprintf(what, a...))
}

// dataset reads a VRTDataset; nil where something in it has no form.
func (in *importer) dataset(e *elem, path string, depth int) (*canvas, error) {
	if !strings.EqualFold(e.name, "VRTDataset") {
		return nil, in.malformed(path, "the text begins with <%s>, expected <VRTDataset>", e.name)
	}
	if depth > maxInline {
		return nil, in.malformed(path, "datasets stand more than %d deep inside each other", maxInline)
	}
	if err := in.ctx.Err(); err != nil {
		return nil, err
	}
	size, err := in.size(e, path)
	if err != nil {
		return nil, err
	}
	var bands []*elem
	left := map[string]bool{}
	for _, k := range e.kids {
		switch strings.ToLower(k.name) {
		case "vrtrasterband":
			bands = append(bands, k)
		case "maskband", "gdalwarpoptions", "blockxsize", "blockysize", "srcovrlevel":
		case "overviewlist":
			in.note(join(path, k.name), k.name, "overviews of the VRT are left out; a tree reads those that the files store")
		case "srs", "geotransform", "gcplist", "metadata":
			left[k.name] = true
		default:
			in.refuse(join(path, k.name), k.name, "has no form in a tree")
		}
	}
	if left["SRS"] || left["GeoTransform"] || left["GCPList"] {
		in.note(path, e.name, "georeferencing is left out; a tree has that of its files")
	}
	if len(bands) == 0 {
		return nil, in.malformed(path, "has no bands")
	}
	if len(bands) > ast.MaxBands {
		return nil, in.malformed(path, "has %d bands, the limit is %d", len(bands), ast.MaxBands)
	}
	formats := make([]bandFormat, len(bands))
	for i, b := range bands {
		if formats[i], err = in.bandFormat(b, in.bandPath(path, i)); err != nil {
			return nil, err
		}
		if formats[i].name == "" {
			formats[i].name = strconv.Itoa(i + 1)
		}
	}
	var c *canvas
	switch sub, _ := e.attr("subClass"); strings.ToLower(sub) {
	case "":
		c, err = in.sources(bands, formats, size, path, depth)
	case "vrtwarpeddataset":
		c, err = in.warp(e, bands, formats, size, path, depth)
	default:
		in.refuse(path, e.name, "a %s has no form in a tree", sub)
	}
	if err != nil || c == nil {
		return nil, err
	}
	if m := e.child("MaskBand"); m != nil {
		if err := in.maskBand(m, c, path, depth); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (in *importer) bandPath(path string, i int) string {
	return join(path, "VRTRasterBand."+strconv.Itoa(i+1))
}

func (in *importer) size(e *elem, path string) (s geom.Size, err error) {
	for _, a := range []struct {
		name string
		to   *int
	}{{"rasterXSize", &s.W}, {"rasterYSize", &s.H}} {
		text, _ := e.attr(a.name)
		v, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || v < 1 || v > ast.MaxExtent {
			return s, in.malformed(path, "%s=%s is not a number of pixels", a.name, quote(text))
		}
		*a.to = v
	}
	return s, nil
}

// bandFormat reads what a band says of its samples.
func (in *importer) bandFormat(b *elem, path string) (bandFormat, error) {
	f := bandFormat{typ: raster.Uint8}
	if name, ok := b.attr("dataType"); ok {
		t, known := parseGDALType(name)
		if !known {
			in.refuse(path, b.name, "data type %s has no form in a tree", quote(name))
		}
		f.typ = t
	}
	f.name, _ = b.value("Description")
	if text, ok := b.value("NoDataValue"); ok {
		v, err := number(text)
		if err != nil {
			return f, in.malformed(join(path, "NoDataValue"), "%v", err)
		}
		f.nodata, f.has = v, true
	}
	if sub, ok := b.attr("subClass"); ok && !strings.EqualFold(sub, "VRTSourcedRasterBand") && !strings.EqualFold(sub, "VRTWarpedRasterBand") {
		in.refuse(path, b.name, "a %s has no form in a tree", sub)
	}
	for _, k := range b.kids {
		switch strings.ToLower(k.name) {
		case "overview":
			in.note(join(path, k.name), k.name, "overviews of the VRT are left out; a tree reads those that the files store")
		case "maskband":
			in.refuse(join(path, k.name), k.name, "a mask of one band has no form in a tree")
		case "colortable", "categorynames":
			in.note(join(path, k.name), k.name, "is left out")
		case "offset", "scale":
			if v, err := number(k.text); err != nil || v != map[bool]float64{true: 1, false: 0}[strings.EqualFold(k.name, "scale")] {
				in.note(join(path, k.name), k.name, "is left out: GDAL leaves it to readers to apply")
			}
		}
	}
	return f, nil
}

// settle gives the bands of the tree the types that the VRT says, where a tree
// can.
func (in *importer) settle(c *canvas) ast.Node {
	if !c.node.Known() {
		in.note("", "VRTDataset", "the data types are taken to be those of the files")
		return c.node
	}
	n, err := in.retype(c.node, c.bands)
	if err != nil {
		in.refuse("", "VRTDataset", "%v", err)
	}
	return n
}

// uri is a file name as a VRT writes it.
func (in *importer) uri(e *elem) string {
	name := strings.TrimSpace(e.text)
	if v, _ := e.attr("relativeToVRT"); v == "1" && isLocal(name) && !filepath.IsAbs(name) && in.opts.Dir != "" {
		return filepath.Join(in.opts.Dir, filepath.FromSlash(name))
	}
	return name
}

// open is the canvas that a SourceFilename or SourceDataset names, at a level
// of its overviews.
func (in *importer) open(e *elem, level int, path string, depth int) (*canvas, error) {
	text := strings.TrimSpace(e.text)
	switch {
	case text == "":
		return nil, in.malformed(path, "names no file")
	case strings.HasPrefix(text, "<"):
		if level != 0 {
			in.refuse(path, e.name, "an overview of a dataset inside the VRT has no form in a tree")
			return nil, nil
		}
		d, err := parseXML(strings.NewReader(text), in.left)
		if err != nil {
			return nil, in.malformed(path, "%v", err)
		}
		return in.dataset(d, path, depth+1)
	}
	uri := in.uri(e)
	l := in.loads[uri]
	if l == nil {
		var err error
		if l, err = ast.NewLoad(uri, ""); err != nil {
			return nil, err
		}
		if in.opts.Describer != nil {
			meta, err := in.opts.Describer.Describe(in.ctx, uri)
			if err != nil {
				return nil, err
			}
			if l, err = l.WithMeta(meta); err != nil {
				return nil, err
			}
		}
		in.loads[uri] = l
	}
	c := &canvas{node: l, file: true}
	if level > 0 {
		if l.Known() {
			if _, ok := l.LevelSize(level); !ok {
				in.refuse(path, e.name, "%s stores no overview %d", quote(uri), level)
				return nil, nil
			}
		}
		o, err := ast.NewOverview(l, level)
		if err != nil {
			return nil, err
		}
		c.node = o
	}
	if l.Known() {
		c.size, c.known, c.mask = c.node.Size(), true, l.HasMask()
		for i := range l.NumBands() {
			b := l.Band(i)
			c.bands = append(c.bands, bandFormat{b.Name, b.Type, b.NoData, b.HasNoData})
		}
	}
	return c, nil
}

var errFloat = errors.New("a tree scales and marks only integers")
