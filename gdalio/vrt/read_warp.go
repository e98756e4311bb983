package vrt

import (
	"math"
	"strconv"
	"strings"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
)

// unset is what GDAL writes for a nodata value that there is none of.
const unset = -1.1e20

// warp reads a warped dataset.
func (in *importer) warp(e *elem, bands []*elem, formats []bandFormat, size geom.Size, path string, depth int) (*canvas, error) {
	o := e.child("GDALWarpOptions")
	if o == nil {
		return nil, in.malformed(path, "has no GDALWarpOptions")
	}
	path = join(path, "GDALWarpOptions")
	inv, ok, err := in.transformer(o, path)
	if err != nil || !ok {
		return nil, err
	}
	alg, _ := o.value("ResampleAlg")
	interp, known := parseKernel(alg)
	if alg == "" {
		interp, known = ast.Nearest, true
	}
	if !known {
		in.refuse(join(path, "ResampleAlg"), "ResampleAlg", "%s has no form in a tree", quote(alg))
	}
	for _, k := range o.kids {
		switch strings.ToLower(k.name) {
		case "cutline", "cutlineblenddist", "srcalphaband", "dstalphaband":
			if v, err := number(k.text); err == nil && v == 0 {
				continue
			}
			in.refuse(join(path, k.name), k.name, "has no form in a tree")
		}
	}
	src := o.child("SourceDataset")
	if src == nil {
		return nil, in.malformed(path, "has no SourceDataset")
	}
	from, err := in.open(src, 0, path, depth)
	if err != nil || from == nil {
		return nil, err
	}
	sampling := in.apart(in.warpSampling(o, interp, inv, path), inv, from.node, path, "ResampleAlg")
	in.kernelNotes(interp, from, path, "ResampleAlg")
	picks, q, err := in.mappings(o, formats, from, path)
	if err != nil || picks == nil || len(in.unsupported) > 0 {
		return nil, err
	}
	if len(picks) != len(bands) {
		in.refuse(path, "BandList", "maps %d of %d bands; the others have no form in a tree", len(picks), len(bands))
		return nil, nil
	}
	m, ok := inv.Inverse()
	if !ok {
		return nil, in.malformed(path, "the transform is singular")
	}
	c := &canvas{size: size, bands: formats, known: true, partial: true, sampled: interp != ast.Nearest}
	w, err := ast.NewWarp(from.node, m, size, sampling, nil)
	if err != nil {
		in.refuse(path, "Transformer", "%v", err)
		return nil, nil
	}
	n, err := pick(w, size, picks)
	if err == nil && q != nil {
		n, err = in.dequantize(n, *q)
	}
	if err != nil {
		in.refuse(path, "BandList", "%v", err)
		return nil, nil
	}
	c.node = n
	return c, nil
}

// mappings reads which band of the source makes which, and what of it is
// invalid.
func (in *importer) mappings(o *elem, formats []bandFormat, from *canvas, path string) ([]int, *ast.Quantization, error) {
	list := o.child("BandList")
	if list == nil {
		return nil, nil, in.malformed(path, "has no BandList")
	}
	picks := make([]int, 0, len(formats))
	var quants []*ast.Quantization
	for i, k := range list.kids {
		if !strings.EqualFold(k.name, "BandMapping") {
			continue
		}
		at := join(path, "BandList/BandMapping."+strconv.Itoa(i+1))
		s, _ := k.attr("src")
		d, _ := k.attr("dst")
		src, err := strconv.Atoi(s)
		dst, err2 := strconv.Atoi(d)
		if err != nil || err2 != nil || src < 1 || src > ast.MaxBands || from.known && src > len(from.bands) {
			return nil, nil, in.malformed(at, "maps band %s to %s", quote(s), quote(d))
		}
		if dst != len(picks)+1 || dst > len(formats) {
			in.refuse(at, k.name, "fills band %d out of turn", dst)
			return nil, nil, nil
		}
		r := &recipe{from: from, band: src - 1, format: formats[dst-1]}
		var nodata []float64
		if text, ok := k.value("SrcNoDataReal"); ok {
			v, err := number(text)
			if err != nil {
				return nil, nil, in.malformed(at, "%v", err)
			}
			if v != unset {
				nodata = append(nodata, v)
			}
		}
		extra, stored, ok := in.invalid(r, nodata, false, at, k.name)
		if !ok {
			return nil, nil, nil
		}
		var q *ast.Quantization
		if len(extra) > 0 {
			v := quantization(0, 1, r.format.typ, stored)
			v.HasNoData, v.NoData = true, extra[0]
			q = &v
		}
		quants = append(quants, q)
		picks = append(picks, src-1)
		if _, ok := k.value("DstNoDataReal"); !ok && !r.format.typ.IsFloat() {
			in.note(at, k.name, "what the source does not cover is 0 for GDAL and invalid in the tree")
		}
	}
	for _, q := range quants {
		if quantKey(q) != quantKey(quants[0]) {
			in.refuse(path, "BandList", "marks invalid samples in another way in each band, which has no form over one warp")
			return nil, nil, nil
		}
	}
	if len(picks) == 0 {
		return nil, nil, in.malformed(path, "maps no bands")
	}
	return picks, quants[0], nil
}

// warpSampling is how the warper reads: it widens its kernel unless told not
// to.
func (in *importer) warpSampling(o *elem, interp ast.Interpolation, inv geom.Transform, path string) ast.Sampling {
	s := samplingOf(interp)
	fx, fy := s.Stretch(inv.Jacobian(0, 0))
	scale := map[string]float64{"XSCALE": 1 / fx, "YSCALE": 1 / fy}
	plain, given := 0, 0
	for _, k := range o.kids {
		name, _ := k.attr("name")
		name = strings.ToUpper(name)
		if !strings.EqualFold(k.name, "Option") {
			continue
		}
		want, ok := scale[name]
		if !ok {
			continue
		}
		v, err := number(k.text)
		given++
		switch {
		case err != nil:
		case math.Abs(v-1) < 1e-9 && math.Abs(want-1) > 1e-9:
			plain++
		case math.Abs(v-want) > 1e-6*want:
			in.note(path, "Option", "%s is %v, where the transform has %.6g, which the tree uses", name, v, want)
		}
	}
	if wide := max(fx, fy); s.Interp != ast.Nearest && plain == 0 && wide > 1+geom.SameEntry && wide <= 1/0.95 {
		s.Antialias = false // GDAL widens no kernel by less than 1/0.95
	}
	if plain == given && given == 2 || plain == 1 && given == 2 && (math.Abs(fx-1) < 1e-9 || math.Abs(fy-1) < 1e-9) {
		s.Antialias = false
	} else if plain > 0 {
		in.note(path, "Option", "the kernel is widened along one axis only, where the tree widens it along both")
	}
	return s.Normalize()
}

// transformer is the map from the canvas to the source.
func (in *importer) transformer(o *elem, path string) (inv geom.Transform, ok bool, err error) {
	t := o.child("Transformer")
	if t == nil {
		return inv, false, in.malformed(path, "has no Transformer")
	}
	path = join(path, "Transformer")
	if a := t.at("ApproxTransformer", "BaseTransformer"); a != nil {
		t = a
	}
	g := t.child("GenImgProjTransformer")
	if g == nil {
		in.refuse(path, "Transformer", "is not affine, and has no form in a tree")
		return inv, false, nil
	}
	inv = geom.Identity
	maps := map[string]geom.Transform{}
	for _, k := range g.kids {
		switch name := strings.ToLower(k.name); name {
		case "srcgeotransform", "srcinvgeotransform", "dstgeotransform", "dstinvgeotransform":
			v, err := numbers(k.text, 6)
			if err != nil {
				return inv, false, in.malformed(join(path, k.name), "%v", err)
			}
			maps[name] = geom.Affine(v[1], v[2], v[0], v[4], v[5], v[3])
		default:
			in.refuse(join(path, k.name), k.name, "is not affine, and has no form in a tree")
			return inv, false, nil
		}
	}
	src, has := maps["srcinvgeotransform"]
	if !has {
		if src, has = maps["srcgeotransform"]; has {
			if src, has = src.Inverse(); !has {
				return inv, false, in.malformed(path, "SrcGeoTransform is singular")
			}
		} else {
			src = geom.Identity
		}
	}
	dst, has := maps["dstgeotransform"]
	if !has {
		dst = geom.Identity
	}
	return tidy(src.Mul(dst)), true, nil
}

// tidy undoes the rounding of a transform that went through world coordinates:
// entries within 1e-9 of a whole number are that number.
func tidy(t geom.Transform) geom.Transform {
	for i, v := range t {
		if r := math.Round(v); math.Abs(v-r) <= 1e-9 {
			t[i] = r + 0
		}
	}
	return t
}

// maskBand accepts a mask that says what the tree's own validity does.
func (in *importer) maskBand(m *elem, c *canvas, path string, depth int) error {
	at := join(path, "MaskBand")
	refuse := func() error {
		in.refuse(at, "MaskBand", "is not the mask of what the bands show, and has no form in a tree")
		return nil
	}
	b := m.child("VRTRasterBand")
	if b == nil || len(b.kids) != 1 || !strings.EqualFold(b.kids[0].name, "SimpleSource") {
		return refuse()
	}
	s := b.kids[0]
	band, _ := s.value("SourceBand")
	name := s.child("SourceFilename")
	which, isMask := strings.CutPrefix(band, "mask,")
	k, err := strconv.Atoi(which)
	if !isMask || err != nil || k < 1 || name == nil || len(in.unsupported) > 0 {
		return refuse()
	}
	level, ok := in.openOptions(s, at)
	if !ok {
		return nil
	}
	// The mask is that of a dataset: read it as the band that it masks.
	said := len(in.notes)
	from, err := in.open(name, level, at, depth)
	if err != nil || from == nil {
		return err
	}
	r := &recipe{from: from, band: k - 1, format: bandFormat{has: true}}
	if from.known {
		if k > len(from.bands) {
			return in.malformed(at, "SourceBand %s does not exist", quote(band))
		}
		r.format = from.bands[k-1]
	}
	if ok, err := in.rects(s, r, c.size, at); err != nil || !ok {
		return err
	}
	masked, err := in.build([]*recipe{r}, c.size, at, &canvas{})
	in.notes = in.notes[:min(said, len(in.notes))]
	if err != nil || masked == nil {
		return err
	}
	if !c.node.Known() || !masked.Known() {
		in.note(at, "MaskBand", "is taken to be the mask of what the bands show")
		return nil
	}
	if f, ok := ast.Path(masked, 0).Leaf.(*ast.Fill); ok {
		if _, valid := f.Value(); !valid && c.node.Kind() == ast.KindFill {
			c.node, err = ast.NewInvalid(c.size, ast.BandsOf(c.node))
			return err
		}
	}
	for i := range c.node.NumBands() {
		if !sameValidity(ast.Path(c.node, i), ast.Path(masked, 0), c.size) {
			return refuse()
		}
	}
	// The notes on 0 for invalid are about what the mask now marks.
	kept := in.notes[:0]
	for _, n := range in.notes {
		if !strings.Contains(n.Reason, "and invalid in the tree") && !strings.Contains(n.Reason, "counts in the tree") {
			kept = append(kept, n)
		}
	}
	in.notes = kept
	return nil
}

func sameValidity(a, b ast.BandPath, size geom.Size) bool {
	if !ast.Equal(a.Leaf, b.Leaf) && (a.Leaf.Kind() != ast.KindFill || b.Leaf.Kind() != ast.KindFill) {
		return false
	}
	marks := func(q *ast.Quantization) string {
		if q == nil || !q.HasNoData {
			return ""
		}
		return format(q.NoData)
	}
	if marks(a.Quantization) != marks(b.Quantization) {
		return false
	}
	for i := range a.Inverse {
		if math.Abs(a.Inverse[i]-b.Inverse[i]) > 1e-8 {
			return false
		}
	}
	return geom.SameRegion(size, a.Domain, b.Domain, geom.EdgeTolerance)
}
