package feature_test

import (
	"image"
	"image/color"
	"math"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval/feature"
)

func TestNewImageGuessesSpace(t *testing.T) {
	for _, c := range []struct {
		bands int
		names []string
		want  feature.ColorSpace
	}{
		{1, nil, feature.Gray},
		{1, []string{"B8"}, feature.Gray},
		{3, nil, feature.RGB},
		{3, []string{"R", "G", "B"}, feature.RGB},
		{3, []string{"red", "green", "blue"}, feature.RGB},
		{3, []string{"nir", "red", "green"}, feature.Multispectral},
		{4, nil, feature.RGBA},
		{4, []string{"r", "g", "b", "a"}, feature.RGBA},
		{4, []string{"r", "g", "b", "nir"}, feature.Multispectral},
		{2, nil, feature.Multispectral},
		{13, nil, feature.Multispectral},
	} {
		var opts []feature.ImageOption
		if c.names != nil {
			opts = append(opts, feature.WithNames(c.names...))
		}
		img, err := feature.NewImage(ramp(3, 2, c.bands), opts...)
		if err != nil || img.Space() != c.want {
			t.Errorf("%d bands %v: %v, %v, want %v", c.bands, c.names, img.Space(), err, c.want)
		}
	}
	img := must(feature.NewImage(ramp(3, 2, 3), feature.WithSpace(feature.Multispectral)))
	if img.Space() != feature.Multispectral {
		t.Errorf("a given colour space became %v", img.Space())
	}
	node := must(ast.NewRaster(ramp(3, 2, 2), []ast.Band{{Name: "vv"}, {Name: "vh", NoData: 7, HasNoData: true}}))
	img = must(feature.NewImage(node))
	if b := img.Bands(); b[1].Name != "vh" || !b[1].HasNoData || img.Pix() != node.Buffer() {
		t.Errorf("bands of a leaf became %+v", b)
	}
}

func TestNewImageOfPictures(t *testing.T) {
	r := image.Rect(5, 7, 8, 9) // pictures need not begin at the origin
	gray := image.NewGray(r)
	gray.SetGray(6, 8, color.Gray{Y: 9})
	gray16 := image.NewGray16(r)
	gray16.SetGray16(6, 8, color.Gray16{Y: 999})
	nrgba := image.NewNRGBA(r)
	nrgba.SetNRGBA(6, 8, color.NRGBA{R: 200, G: 100, B: 50, A: 128})
	rgba := image.NewRGBA(r)
	rgba.SetRGBA(6, 8, color.RGBA{R: 100, G: 50, B: 25, A: 128})
	deep := image.NewNRGBA64(r)
	deep.SetNRGBA64(6, 8, color.NRGBA64{R: 60000, G: 1, B: 2, A: 30000})
	jpeg := image.NewYCbCr(r, image.YCbCrSubsampleRatio444)
	for i := range jpeg.Y {
		jpeg.Y[i], jpeg.Cb[i], jpeg.Cr[i] = 77, 128, 128
	}
	for _, c := range []struct {
		src   image.Image
		typ   raster.DataType
		space feature.ColorSpace
		want  []float64
	}{
		{gray, raster.Uint8, feature.Gray, []float64{9}},
		{gray16, raster.Uint16, feature.Gray, []float64{999}},
		{nrgba, raster.Uint8, feature.RGBA, []float64{200, 100, 50, 128}},
		{rgba, raster.Uint8, feature.RGBA, []float64{199, 99, 49, 128}},
		{deep, raster.Uint16, feature.RGBA, []float64{60000, 1, 2, 30000}},
		{jpeg, raster.Uint8, feature.RGB, []float64{77, 77, 77}},
	} {
		img, err := feature.NewImage(c.src)
		if err != nil {
			t.Errorf("%T: %v", c.src, err)
			continue
		}
		pix := img.Pix()
		if pix.Type != c.typ || img.Space() != c.space || img.Size() != size(3, 2) {
			t.Errorf("%T became %v %v of %v", c.src, img.Size(), img.Space(), pix.Type)
		}
		for b, want := range c.want {
			if got, _ := pix.At(1, 1, b); got != want {
				t.Errorf("%T band %d: %v, want %v", c.src, b, got, want)
			}
		}
	}
}

func TestNewMask(t *testing.T) {
	indexed := image.NewPaletted(image.Rect(0, 0, 2, 1), color.Palette{color.Black, color.White})
	indexed.Pix[1] = 1
	for _, c := range []struct {
		from any
		kind feature.MaskKind
		typ  raster.DataType
		want float64 // at (1, 0)
	}{
		{[][]bool{{false, true}}, feature.Binary, raster.Uint8, 1},
		{[][]uint8{{3, 9}}, feature.Labels, raster.Uint8, 9},
		{[][]int{{3, 9}}, feature.Labels, raster.Uint8, 9},
		{[][]int{{3, -9}}, feature.Labels, raster.Int32, -9},
		{indexed, feature.Labels, raster.Uint8, 1},
		{must(feature.NewMask([][]bool{{true, false}})), feature.Binary, raster.Uint8, 0},
	} {
		m, err := feature.NewMask(c.from)
		if err != nil || m.Kind() != c.kind || m.Pix().Type != c.typ {
			t.Errorf("%T: %v %v", c.from, m.Kind(), err)
			continue
		}
		if got, _ := m.Pix().At(1, 0, 0); got != c.want {
			t.Errorf("%T: %v, want %v", c.from, got, c.want)
		}
	}
	pix := must(raster.FromSlice([]uint8{255, 0, 255}, 3, 1, 1))
	m := must(feature.NewMask(pix, feature.WithKind(feature.Binary), feature.WithBackground(255)))
	if m.Kind() != feature.Binary || m.Background() != 255 || m.Pix() != pix {
		t.Errorf("%v %v", m.Kind(), m.Background())
	}
}

func TestNewBoxes(t *testing.T) {
	want := [][4]float64{{1, 2, 4, 8}}
	for _, c := range []struct {
		from   any
		format feature.BoxFormat
	}{
		{[][4]float64{{1, 2, 4, 8}}, feature.XYXY},
		{[][4]float32{{1, 2, 3, 6}}, feature.XYWH},
		{[][4]int{{1, 2, 3, 6}}, feature.XYWH},
		{[]float64{2.5, 5, 3, 6}, feature.CXCYWH},
		{[]image.Rectangle{image.Rect(1, 2, 4, 8)}, feature.CXCYWH},
		{must(feature.NewBoxes(want, feature.XYXY, size(9, 9))), feature.XYWH},
	} {
		b, err := feature.NewBoxes(c.from, c.format, size(9, 9))
		if err != nil || b.Len() != 1 || b.Corners(0) != want[0] || b.As(feature.XYXY).At(0) != want[0] {
			t.Errorf("%T as %v: %v %v", c.from, c.format, b, err)
		}
		for _, f := range []feature.BoxFormat{feature.XYXY, feature.XYWH, feature.CXCYWH} {
			if b.As(f).Format() != f || b.As(f).Corners(0) != want[0] {
				t.Errorf("%v as %v: %v", c.format, f, b.As(f))
			}
		}
	}
}

func TestNewPointsAndPolygons(t *testing.T) {
	for _, from := range []any{
		[][2]float64{{1, 2}, {3, 4}}, [][2]float32{{1, 2}, {3, 4}}, [][2]int{{1, 2}, {3, 4}}, []float64{1, 2, 3, 4},
		[]image.Point{{X: 1, Y: 2}, {X: 3, Y: 4}}, must(feature.NewPoints([]float64{1, 2, 3, 4}, size(2, 2))),
	} {
		p, err := feature.NewPoints(from, size(9, 9))
		if err != nil || p.Len() != 2 || p.Values()[0] != [2]float64{1, 2} || p.Values()[1] != [2]float64{3, 4} || p.Canvas() != size(9, 9) {
			t.Errorf("%T: %v %v", from, p.Values(), err)
		}
	}
	for _, from := range []any{
		[]geom.Polygon{{{1, 2}, {3, 4}, {5, 0}}}, [][][2]float64{{{1, 2}, {3, 4}, {5, 0}}}, [][]float64{{1, 2, 3, 4, 5, 0}},
		must(feature.NewPolygons([][]float64{{1, 2, 3, 4, 5, 0}}, size(2, 2))),
	} {
		p, err := feature.NewPolygons(from, size(9, 9))
		if err != nil || p.Len() != 1 || p.Bounds().At(0) != [4]float64{1, 0, 5, 4} || p.Canvas() != size(9, 9) {
			t.Errorf("%T: %v %v", from, p.Values(), err)
		}
	}
}

func TestNewVideo(t *testing.T) {
	frames := []*raster.Buffer{ramp(4, 3, 3), ramp(4, 3, 3)}
	gray := must(feature.NewImage(ramp(4, 3, 1), feature.WithNames("pan")))
	for _, c := range []struct {
		from  any
		space feature.ColorSpace
		name  string
	}{
		{frames, feature.RGB, "1"},
		{[]feature.Image{gray, gray}, feature.Gray, "pan"},
		{must(feature.NewVideo(frames, feature.WithNames("x", "y", "z"))), feature.Multispectral, "x"},
	} {
		v, err := feature.NewVideo(c.from)
		if err != nil || v.Len() != 2 || v.Space() != c.space || v.Bands()[0].Name != c.name || v.Size() != size(4, 3) {
			t.Errorf("%T: %d frames, %v %v", c.from, v.Len(), v.Space(), err)
		}
	}
}

// TestZero: the zero features hold nothing, and say so.
func TestZero(t *testing.T) {
	var i feature.Image
	var m feature.Mask
	var v feature.Video
	var b feature.Boxes
	if !i.IsZero() || !m.IsZero() || !v.IsZero() || i.Size() != size(0, 0) || v.Size() != size(0, 0) || i.Space() != feature.Multispectral ||
		i.Bands() != nil || m.Kind() != feature.Labels || m.Background() != 0 || b.Format() != feature.XYXY || b.Canvas() != size(0, 0) {
		t.Error("a zero feature holds something")
	}
	fails(t, second(i.Node()), "image has no pixels")
	fails(t, second(i.As(feature.Gray)), "image has no pixels")
	fails(t, second(m.Node()), "mask has no pixels")
}

func TestNames(t *testing.T) {
	for want, got := range map[string]interface{ String() string }{
		"gray": feature.Gray, "rgb": feature.RGB, "rgba": feature.RGBA, "multispectral": feature.Multispectral,
		"labels": feature.Labels, "binary": feature.Binary,
		"xyxy": feature.XYXY, "xywh": feature.XYWH, "cxcywh": feature.CXCYWH,
	} {
		if got.String() != want {
			t.Errorf("%v, want %s", got, want)
		}
	}
}

func TestRotatedBoxes(t *testing.T) {
	p := must(feature.RotatedBoxes([][5]float64{{10, 20, 6, 2, math.Pi / 2}}, size(40, 40)))
	want := geom.Polygon{{11, 17}, {11, 23}, {9, 23}, {9, 17}}
	for i, v := range p.At(0) {
		if math.Hypot(v[0]-want[i][0], v[1]-want[i][1]) > 1e-12 {
			t.Errorf("vertex %d at %v, want %v", i, v, want[i])
		}
	}
	if b := p.Bounds().At(0); math.Abs(b[0]-9)+math.Abs(b[1]-17)+math.Abs(b[2]-11)+math.Abs(b[3]-23) > 1e-12 {
		t.Errorf("bounds %v", b)
	}
}

func TestNewRefuses(t *testing.T) {
	one := size(9, 9)
	nan := math.NaN()
	short := ramp(2, 2, 1)
	short.Mask = make([]byte, 3)
	var nilRaster *ast.Raster
	for _, c := range []struct {
		want string
		err  error
	}{
		{"cannot be made of int", second(feature.NewImage(3))},
		{"has no pixels", second(feature.NewImage((*raster.Buffer)(nil)))},
		{"has no pixels", second(feature.NewImage(nilRaster))},
		{"has no pixels", second(feature.NewImage(feature.Image{}))},
		{"0×0 pixels", second(feature.NewImage(raster.New(raster.Uint8, 0, 0, 1)))},
		{"validity mask of 3", second(feature.NewImage(short))},
		{"rgb takes 3 bands, the image has 2", second(feature.NewImage(ramp(2, 2, 2), feature.WithSpace(feature.RGB)))},
		{"2 bands are described, the image has 3", second(feature.NewImage(ramp(2, 2, 3), feature.WithNames("a", "b")))},
		{"unknown colorspace(9)", second(feature.NewImage(ramp(2, 2, 3), feature.WithSpace(9)))},
		{"rgba takes 4 bands", second(picture(2, 2).As(feature.RGBA))},
		{"a mask cannot be made of string", second(feature.NewMask("x"))},
		{"mask of float32", second(feature.NewMask(raster.New(raster.Float32, 1, 1, 1)))},
		{"row 1 has 1 pixels, the first has 2", second(feature.NewMask([][]int{{1, 2}, {3}}))},
		{"mask has no rows", second(feature.NewMask([][]bool{}))},
		{"does not fit int32", second(feature.NewMask([][]int{{1 << 40}}))},
		{"binary mask has label 3 at (2, 0), besides 1", second(feature.NewMask([][]int{{0, 1, 3}}, feature.WithKind(feature.Binary)))},
		{"background -1 does not fit uint8", second(feature.NewMask([][]uint8{{1}}, feature.WithBackground(-1)))},
		{"unknown maskkind(7)", second(feature.NewMask([][]uint8{{1}}, feature.WithKind(7)))},
		{"box 1 is [3 3 3 5] in xyxy, which has no area", second(feature.NewBoxes([][4]float64{{0, 0, 1, 1}, {3, 3, 3, 5}}, feature.XYXY, one))},
		{"box 0 is [0 0 -1 5] in xywh", second(feature.NewBoxes([][4]int{{0, 0, -1, 5}}, feature.XYWH, one))},
		{"not finite", second(feature.NewBoxes([][4]float64{{0, nan, 1, 1}}, feature.XYXY, one))},
		{"5 numbers do not make boxes", second(feature.NewBoxes(make([]float64, 5), feature.XYXY, one))},
		{"canvas 0×9 of boxes", second(feature.NewBoxes([][4]int{}, feature.XYXY, size(0, 9)))},
		{"unknown boxformat(3)", second(feature.NewBoxes([][4]int{}, 3, one))},
		{"boxes cannot be made of bool", second(feature.NewBoxes(true, feature.XYXY, one))},
		{"expected a finite centre", second(feature.RotatedBoxes([][5]float64{{1, 1, 0, 1, 0}}, one))},
		{"point 0 is [NaN 1]", second(feature.NewPoints([][2]float64{{nan, 1}}, one))},
		{"3 numbers do not make points", second(feature.NewPoints([]float64{1, 2, 3}, one))},
		{"points cannot be made of int", second(feature.NewPoints(1, one))},
		{"polygon 0 has 2 vertices", second(feature.NewPolygons([]geom.Polygon{{{0, 0}, {1, 1}}}, one))},
		{"polygon 0 has 7 numbers", second(feature.NewPolygons([][]float64{make([]float64, 7)}, one))},
		{"is not finite", second(feature.NewPolygons([][][2]float64{{{0, 0}, {1, 1}, {math.Inf(1), 0}}}, one))},
		{"polygons cannot be made of int", second(feature.NewPolygons(1, one))},
		{"at least one frame", second(feature.NewVideo([]*raster.Buffer{}))},
		{"frame 1 is 2×3×3 of uint8, the first is 2×2×3 of uint8", second(feature.NewVideo([]*raster.Buffer{ramp(2, 2, 3), ramp(2, 3, 3)}))},
		{"frame 1 has no pixels", second(feature.NewVideo([]*raster.Buffer{ramp(2, 2, 3), nil}))},
		{"a video cannot be made of int", second(feature.NewVideo(1))},
	} {
		fails(t, c.err, c.want)
	}
}

func second[T any](_ T, err error) error { return err }
