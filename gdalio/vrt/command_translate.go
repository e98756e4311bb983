package vrt

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
)

// translate is the VRT of a gdal_translate.
func (c *command) translate() (*elem, error) {
	l, level, size, err := c.source()
	if err != nil {
		return nil, err
	}
	win, err := c.floats("-srcwin")
	if err != nil {
		return nil, err
	}
	if win == nil {
		win = []float64{0, 0, float64(size.W), float64(size.H)}
	} else if level > 0 {
		c.refuse("", "-ovr", "-srcwin together with -ovr has no form in a tree")
	}
	if !(win[2] > 0 && win[3] > 0) {
		return nil, fmt.Errorf("-srcwin %v is empty", win)
	}
	out, err := c.outsize(win)
	if err != nil {
		return nil, err
	}
	picks, err := c.picks(l)
	if err != nil {
		return nil, err
	}
	scale, err := c.floats("-scale")
	if err != nil {
		return nil, err
	}
	_, scaled := c.values["-scale"]
	switch len(scale) {
	case 0:
		if scaled {
			c.refuse("", "-scale", "-scale without a range takes it from the pixels, which a tree does not know")
			return nil, nil
		}
	case 2:
		scale = append(scale, 0, 255)
	case 4:
	default:
		return nil, fmt.Errorf("-scale takes two or four numbers, not %d", len(scale))
	}
	root := newDataset(out)
	for i, k := range picks {
		b := l.Band(k)
		typ, err := c.outputType(b)
		if err != nil {
			return nil, err
		}
		band := el("VRTRasterBand").with("dataType", typ).with("band", strconv.Itoa(i+1))
		nodata, has := c.translatedNoData(b)
		if has {
			band.add(leaf("NoDataValue", nodata))
		}
		root.add(band.add(c.translated(l, level, k, win, out, scale, has)))
	}
	return root, nil
}

// translatedNoData is the nodata value of an output band.
func (c *command) translatedNoData(b ast.Band) (string, bool) {
	if v, ok := c.values["-a_nodata"]; ok {
		return v[0], !strings.EqualFold(v[0], "none")
	}
	return format(b.NoData), b.HasNoData
}

// translated is the source of an output band.
func (c *command) translated(l *ast.Load, level, band int, win []float64, out geom.Size, scale []float64, has bool) *elem {
	s := el("SimpleSource")
	if scale != nil {
		s = el("ComplexSource")
	}
	if v, ok := c.values["-r"]; ok {
		s.with("resampling", v[0])
	}
	s.add(leaf("SourceFilename", l.URI()).with("relativeToVRT", "0"))
	if level > 0 {
		s.add(el("OpenOptions", leaf("OOI", strconv.Itoa(level-1)).with("key", "OVERVIEW_LEVEL")))
	}
	rect := func(name string, v [4]float64) *elem {
		return el(name).with("xOff", format(v[0])).with("yOff", format(v[1])).with("xSize", format(v[2])).with("ySize", format(v[3]))
	}
	s.add(leaf("SourceBand", strconv.Itoa(band+1)),
		rect("SrcRect", [4]float64(win)), rect("DstRect", [4]float64{0, 0, float64(out.W), float64(out.H)}))
	if scale != nil {
		ratio := (scale[3] - scale[2]) / (scale[1] - scale[0])
		s.add(leaf("ScaleOffset", format(scale[2]-scale[0]*ratio)), leaf("ScaleRatio", format(ratio)))
		if b := l.Band(band); b.HasNoData {
			s.add(leaf("NODATA", format(b.NoData)))
		}
	}
	if b := l.Band(band); b.HasNoData && !has {
		c.note("", "-a_nodata", "the file's nodata value counts in the tree")
		s.name = "ComplexSource"
		s.add(leaf("NODATA", format(b.NoData)))
	}
	if l.HasMask() {
		s.name = "ComplexSource"
		s.add(leaf("UseMaskBand", "true"))
	}
	return s
}

// outsize is the size that gdal_translate writes.
func (c *command) outsize(win []float64) (geom.Size, error) {
	size := geom.Size{W: int(win[2] + 0.5), H: int(win[3] + 0.5)}
	v, ok := c.values["-outsize"]
	if ok {
		for i, to := range []*int{&size.W, &size.H} {
			text, percent := strings.CutSuffix(v[i], "%")
			n, err := number(text)
			if err != nil || n < 0 || n > ast.MaxExtent {
				return size, fmt.Errorf("-outsize %s is not a number of pixels", quote(v[i]))
			}
			if percent {
				n = n / 100 * win[2+i]
			}
			*to = int(n)
		}
		switch { // 0 keeps the ratio of the sides
		case size.W == 0 && size.H == 0:
			return size, fmt.Errorf("-outsize 0 0 says nothing")
		case size.W == 0:
			size.W = int(float64(size.H)*win[2]/win[3] + 0.5)
		case size.H == 0:
			size.H = int(float64(size.W)*win[3]/win[2] + 0.5)
		}
	}
	if size.W < 1 || size.H < 1 || float64(size.W) > ast.MaxExtent {
		return size, fmt.Errorf("an output of %v pixels is not possible", size)
	}
	return size, nil
}

// picks are the bands of -b, from 0.
func (c *command) picks(l *ast.Load) ([]int, error) {
	var picks []int
	for _, s := range c.bands {
		k, err := strconv.Atoi(s)
		if err != nil {
			c.refuse("", "-b", "-b %s has no form in a tree", s)
			continue
		}
		if k < 1 || k > l.NumBands() {
			return nil, fmt.Errorf("-b %d: the file has %d bands", k, l.NumBands())
		}
		picks = append(picks, k-1)
	}
	if c.bands == nil {
		for k := range l.NumBands() {
			picks = append(picks, k)
		}
	}
	return picks, nil
}

// warp is the VRT of a gdalwarp.
func (c *command) warp() (*elem, error) {
	l, level, size, err := c.source()
	if err != nil {
		return nil, err
	}
	if level > 0 {
		c.refuse("", "-ovr", "a stored overview under a warp has no form here")
	}
	if _, ok := c.values["-ovr"]; !ok {
		c.noteOverviews(l)
	}
	world, ok := c.world(l)
	if !ok {
		return nil, nil
	}
	grid, out, err := c.grid(world, size)
	if err != nil || out == (geom.Size{}) {
		return nil, err
	}
	kernel := ast.Nearest
	if v, ok := c.values["-r"]; ok {
		if kernel, ok = parseKernel(v[0]); !ok {
			c.refuse("", "-r", "-r %s has no form in a tree", v[0])
			return nil, nil
		}
	}
	_, alg := kernelNames(kernel)
	options := el("GDALWarpOptions", leaf("ResampleAlg", alg))
	for _, o := range c.values["-wo"] {
		if name, value, ok := strings.Cut(o, "="); ok {
			options.add(leaf("Option", value).with("name", name))
		}
	}
	toWorld, _ := world.Inverse()
	options.add(leaf("SourceDataset", l.URI()).with("relativeToVRT", "0"),
		el("Transformer", el("GenImgProjTransformer",
			leaf("SrcInvGeoTransform", geoText(toWorld)), leaf("DstGeoTransform", geoText(grid)))))
	root := newDataset(out).with("subClass", "VRTWarpedDataset")
	list := el("BandList")
	for k := range l.NumBands() {
		b := l.Band(k)
		typ, err := c.outputType(b)
		if err != nil {
			return nil, err
		}
		band := el("VRTRasterBand").with("dataType", typ).with("band", strconv.Itoa(k+1)).with("subClass", "VRTWarpedRasterBand")
		m := el("BandMapping").with("src", strconv.Itoa(k+1)).with("dst", strconv.Itoa(k+1))
		src, hasSrc := c.nodata("-srcnodata", k, format(b.NoData), b.HasNoData)
		if hasSrc {
			m.add(leaf("SrcNoDataReal", src))
		}
		if dst, ok := c.nodata("-dstnodata", k, src, hasSrc); ok {
			band.add(leaf("NoDataValue", dst))
			m.add(leaf("DstNoDataReal", dst))
		}
		root.add(band)
		list.add(m)
	}
	return root.add(options.add(list)), nil
}

// nodata is the value that an option gives for a band, or else another.
func (c *command) nodata(option string, band int, other string, has bool) (string, bool) {
	v, ok := c.values[option]
	if !ok {
		return other, has
	}
	each := strings.Fields(v[0])
	if len(each) == 0 || strings.EqualFold(each[0], "none") {
		return "", false
	}
	return each[min(band, len(each)-1)], true
}

// world maps the pixels of the input to world coordinates.
func (c *command) world(l *ast.Load) (geom.Transform, bool) {
	for _, o := range c.values["-to"] {
		if k, v, _ := strings.Cut(o, "="); (k != "SRC_METHOD" && k != "DST_METHOD") || v != "NO_GEOTRANSFORM" {
			c.refuse("", "-to", "-to %s has no form in a tree", o)
			return geom.Identity, false
		}
	}
	meta, _ := l.Meta()
	switch {
	case len(c.values["-to"]) > 0:
		return geom.Identity, true
	case meta.Geo == nil:
		c.refuse("", "input", "%s is not georeferenced, so that gdalwarp takes it only with -to SRC_METHOD=NO_GEOTRANSFORM -to DST_METHOD=NO_GEOTRANSFORM", quote(l.URI()))
		return geom.Identity, false
	}
	return meta.Geo.Transform, true
}

// grid maps the pixels of the output to world coordinates.
func (c *command) grid(world geom.Transform, size geom.Size) (geom.Transform, geom.Size, error) {
	te, err := c.floats("-te")
	if err != nil {
		return world, size, err
	}
	ts, err := c.floats("-ts")
	if err != nil {
		return world, size, err
	}
	tr, err := c.floats("-tr")
	if err != nil {
		return world, size, err
	}
	north := world[1] == 0 && world[3] == 0 && world[0] > 0 && world[4] < 0
	if te == nil || ts == nil && tr == nil {
		if !north || ts == nil && tr == nil && world[0] != -world[4] {
			c.refuse("", "-te", "without -te and -ts gdalwarp chooses a grid of its own, unless the image is upright with square pixels")
			return world, geom.Size{}, nil
		}
	}
	if te == nil {
		x, y := world.Apply(float64(size.W), float64(size.H))
		te = []float64{world[2], y, x, world[5]}
	}
	w, h := te[2]-te[0], te[3]-te[1]
	if !(w > 0 && h > 0) {
		return world, size, fmt.Errorf("-te %v is empty", te)
	}
	out := size
	rx, ry := world[0], -world[4]
	switch {
	case ts != nil:
		out = geom.Size{W: int(ts[0]), H: int(ts[1])}
		if out.W < 1 || out.H < 1 {
			c.refuse("", "-ts", "-ts with 0 for a side has no form here")
			return world, geom.Size{}, nil
		}
		rx, ry = w/ts[0], h/ts[1]
	case tr != nil:
		rx, ry = math.Abs(tr[0]), math.Abs(tr[1])
		fallthrough
	default:
		nw, nh := w/rx+0.5, h/ry+0.5
		if !(nw >= 1 && nh >= 1 && nw < ast.MaxExtent && nh < ast.MaxExtent) {
			return world, size, fmt.Errorf("pixels of %v×%v make no image of %v×%v", rx, ry, w, h)
		}
		out = geom.Size{W: int(nw), H: int(nh)}
	}
	return geom.Affine(rx, 0, te[0], 0, -ry, te[3]), out, nil
}
