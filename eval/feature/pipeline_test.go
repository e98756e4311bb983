package feature_test

import (
	"context"
	"errors"
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/eval/feature"
)

// TestApply takes one of everything through a crop and an upscale.
func TestApply(t *testing.T) {
	p := must(feature.NewPipeline(open(t), steps(func(x ast.Builder) ast.Builder {
		return x.Crop(image.Rect(2, 1, 10, 7)).Scale(2)
	}), feature.WithMinVisible(0.25)))
	canvas := size(12, 8)
	in := feature.Sample{
		Image: picture(12, 8),
		Masks: []feature.Mask{must(feature.NewMask(ramp(12, 8, 1)))},
		Boxes: []feature.Boxes{must(feature.NewBoxes([][4]float64{
			{4, 2, 2, 3},  // whole
			{0, 0, 1, 1},  // out of sight
			{-2, 1, 8, 2}, // half of it: 4 of 8
			{9, 1, 5, 1},  // a fifth of it
		}, feature.XYWH, canvas))},
		Points:   []feature.Points{must(feature.NewPoints([][2]float64{{2, 1}, {10, 7}, {9.5, 3}}, canvas))},
		Polygons: []feature.Polygons{must(feature.NewPolygons([]geom.Polygon{{{0, 3}, {4, 3}, {4, 7}, {0, 7}}, {{0, 0}, {1, 0}, {0, 1}}}, canvas))},
	}
	out, report, err := p.Apply(ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	to := size(16, 12)
	if out.Image.Size() != to || out.Image.Space() != feature.RGB || out.Masks[0].Size() != to ||
		out.Boxes[0].Canvas() != to || out.Points[0].Canvas() != to || out.Polygons[0].Canvas() != to {
		t.Errorf("canvases are not all %v", to)
	}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })
	if d := cmp.Diff([][4]float64{{4, 2, 4, 6}, {0, 0, 8, 4}}, out.Boxes[0].Values(), near); d != "" {
		t.Errorf("boxes (-want +got):\n%s", d)
	}
	if d := cmp.Diff([][2]float64{{0, 0}, {15, 4}}, out.Points[0].Values(), near); d != "" {
		t.Errorf("points (-want +got):\n%s", d)
	}
	if d := cmp.Diff([4]float64{0, 4, 4, 12}, out.Polygons[0].Bounds().At(0), near); d != "" || out.Polygons[0].Len() != 1 {
		t.Errorf("polygons (-want +got):\n%s", d)
	}
	want := feature.Report{
		Boxes:    []feature.Selection{{Kept: []int{0, 2}, Dropped: []feature.Dropped{{Index: 1}, {Index: 3, Visible: 0.2}}}},
		Points:   []feature.Selection{{Kept: []int{0, 2}, Dropped: []feature.Dropped{{Index: 1}}}},
		Polygons: []feature.Selection{{Kept: []int{0}, Dropped: []feature.Dropped{{Index: 1}}}},
	}
	if d := cmp.Diff(want, report, near); d != "" {
		t.Errorf("report (-want +got):\n%s", d)
	}
	if got := feature.Select(report.Boxes[0], []string{"a", "b", "c", "d"}); !slices.Equal(got, []string{"a", "c"}) {
		t.Errorf("classes %v", got)
	}
}

// TestMinVisible: a share of exactly the threshold is kept, rounding or not.
func TestMinVisible(t *testing.T) {
	for _, c := range []struct {
		min  float64
		keep int
	}{{0, 2}, {0.5, 2}, {0.51, 1}, {1, 1}} {
		p := must(feature.NewPipeline(open(t), steps(func(x ast.Builder) ast.Builder {
			return x.Warp(geom.Rotate(0.1)).WarpTo(geom.Rotate(-0.1), size(4, 8))
		}), feature.WithMinVisible(c.min)))
		plan := must(p.Plan(ctx, must(picture(8, 8).Node())))
		// Of the picture x < 4 shows, less a sliver that the first turn cut off.
		_, sel, err := plan.Boxes(must(feature.NewBoxes([][4]float64{{1, 3, 3, 5}, {3, 5, 5, 6}}, feature.XYXY, size(8, 8))))
		if err != nil || len(sel.Kept) != c.keep {
			t.Errorf("at least %v: kept %v, dropped %v, %v", c.min, sel.Kept, sel.Dropped, err)
		}
	}
}

// TestProjective: behind the horizon nothing shows, and a box across it is cut.
func TestProjective(t *testing.T) {
	// The denominator is 1 at x = 0, 0 at x = 8.
	m := geom.Transform{1, 0, 0, 0, 1, 0, -0.125, 0, 1}
	p := must(feature.NewPipeline(open(t), func(x ast.Node) (ast.Node, error) {
		return ast.NewWarp(x, m, size(14, 20), ast.DefaultSampling, nil)
	}))
	plan := must(p.Plan(ctx, must(picture(12, 8).Node())))
	got, sel, err := plan.Boxes(must(feature.NewBoxes([][4]float64{{9, 1, 11, 3}, {0, 0, 12, 2}, {0, 0, 4, 2}}, feature.XYXY, size(12, 8))))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(sel.Kept, []int{1, 2}) {
		t.Fatalf("kept %v", sel.Kept)
	}
	// x' = x/(1 − x/8) is 14 at x = 56/11; y' = 2/(1 − 7/11) = 5.5 there.
	for i, want := range [][4]float64{{0, 0, 14, 5.5}, {0, 0, 8, 4}} {
		for k := range want {
			if math.Abs(got.At(i)[k]-want[k]) > 1e-9 {
				t.Errorf("box %d is %v, want %v", i, got.At(i), want)
				break
			}
		}
	}
}

// TestRandomTreeIsOne: a build function that draws its arguments is called once
// a sample, so that everything in it moves together.
func TestRandomTreeIsOne(t *testing.T) {
	r, calls := rand.New(rand.NewPCG(1, 2)), 0
	p := must(feature.NewPipeline(open(t), func(x ast.Node) (ast.Node, error) {
		calls++
		dx, dy := r.IntN(8), r.IntN(8)
		return ast.NewCrop(x, image.Rect(dx, dy, dx+8, dy+8))
	}))
	pix := ramp(16, 16, 1)
	mask := must(feature.NewMask(pix))
	point := must(feature.NewPoints([][2]float64{{7.5, 7.5}}, size(16, 16)))
	want, _ := pix.At(7, 7, 0)
	for range 20 {
		out, _, err := p.Apply(ctx, feature.Sample{
			Image: must(feature.NewImage(pix)), Masks: []feature.Mask{mask, mask}, Points: []feature.Points{point},
		})
		if err != nil {
			t.Fatal(err)
		}
		x, y := out.Points[0].At(0)
		for _, b := range []*raster.Buffer{out.Image.Pix(), out.Masks[0].Pix(), out.Masks[1].Pix()} {
			if got, _ := b.At(int(x), int(y), 0); got != want {
				t.Errorf("pixel (7, 7) is %v at (%v, %v), want %v", got, x, y, want)
			}
		}
	}
	if calls != 20 {
		t.Errorf("the tree was built %d times for 20 samples", calls)
	}
}

// TestSource reads a picture by uri, with nothing known about it, and one plan
// serves many samples.
func TestSource(t *testing.T) {
	images := asttest.Standard()
	s := open(t)
	for _, uri := range images.URIs()[:6] {
		img, _ := images.Image(uri)
		canvas := img.Meta.Size
		p := must(feature.NewPipeline(s, func(x ast.Node) (ast.Node, error) {
			if !x.Known() {
				t.Error("the tree is built over a leaf of unknown size")
			}
			return ast.From(x).Overview(1).Node()
		}))
		source := must(ast.NewLoad(uri, ""))
		plan := must(p.Plan(ctx, source))
		if plan.Source() != canvas {
			t.Errorf("%s: source is %v, want %v", uri, plan.Source(), canvas)
		}
		whole := [4]float64{0, 0, float64(canvas.W), float64(canvas.H)}
		boxes := must(feature.NewBoxes([][4]float64{whole}, feature.XYXY, canvas))
		mask := must(feature.NewMask(raster.New(raster.Uint8, canvas.W, canvas.H, 1)))
		out, _, err := plan.Apply(ctx, feature.Sample{Masks: []feature.Mask{mask}, Boxes: []feature.Boxes{boxes}})
		if err != nil {
			t.Fatal(err)
		}
		// A stored level may have any size; mask and boxes follow it.
		to := plan.Size()
		if out.Image.Size() != to || out.Masks[0].Size() != to {
			t.Errorf("%s: image %v and mask %v, want %v", uri, out.Image.Size(), out.Masks[0].Size(), to)
		}
		if got := out.Boxes[0].At(0); math.Abs(got[2]-float64(to.W))+math.Abs(got[3]-float64(to.H)) > 1e-9 {
			t.Errorf("%s: whole box is %v on %v", uri, got, to)
		}
		again, _, err := p.Apply(ctx, feature.Sample{Source: source})
		if err != nil || !slices.Equal(again.Image.Pix().Bytes(), out.Image.Pix().Bytes()) {
			t.Errorf("%s: a sample by source differs from its plan: %v", uri, err)
		}
	}
}

// TestVideo takes every frame, and the masks and boxes beside it, through one
// tree.
func TestVideo(t *testing.T) {
	frames := []*raster.Buffer{ramp(16, 12, 3), raster.New(raster.Uint8, 16, 12, 3), ramp(16, 12, 3)}
	frames[2].Bytes()[0] = 255
	v := must(feature.NewVideo(frames, feature.WithNames("nir", "r", "g")))
	calls := 0
	p := must(feature.NewPipeline(open(t), func(x ast.Node) (ast.Node, error) {
		calls++
		return ast.From(x).Rotate(0.2).Scale(0.5).Node()
	}))
	out, _, err := p.Apply(ctx, feature.Sample{Video: v})
	if err != nil {
		t.Fatal(err)
	}
	if calls != 1 || out.Video.Len() != 3 || out.Video.Space() != feature.Multispectral || out.Video.Bands()[0].Name != "nir" || !out.Image.IsZero() {
		t.Errorf("%d calls, %d frames, %v", calls, out.Video.Len(), out.Video.Space())
	}
	for i := range frames {
		alone, _, err := p.Apply(ctx, feature.Sample{Image: v.Frame(i)})
		if err != nil || !slices.Equal(alone.Image.Pix().Bytes(), out.Video.Frames()[i].Bytes()) {
			t.Errorf("frame %d differs from the frame alone: %v", i, err)
		}
	}
}

// TestSpaces: the colour space is kept where the bands are, and guessed where
// the tree picked others.
func TestSpaces(t *testing.T) {
	multi := must(feature.NewImage(ramp(4, 4, 3), feature.WithSpace(feature.Multispectral)))
	for _, c := range []struct {
		in    feature.Image
		bands []int
		want  feature.ColorSpace
	}{
		{multi, []int{0, 1, 2}, feature.Multispectral},
		{picture(4, 4), []int{0, 1, 2}, feature.RGB},
		{picture(4, 4), []int{1}, feature.Gray},
		{picture(4, 4), []int{2, 1, 0}, feature.Multispectral}, // "3", "2", "1"
		{must(feature.NewImage(ramp(4, 4, 4), feature.WithNames("nir", "r", "g", "b"))), []int{1, 2, 3}, feature.RGB},
	} {
		p := must(feature.NewPipeline(open(t), steps(func(x ast.Builder) ast.Builder { return x.Bands(c.bands...) })))
		out, _, err := p.Apply(ctx, feature.Sample{Image: c.in})
		if err != nil || out.Image.Space() != c.want {
			t.Errorf("%v bands %v: %v %v, want %v", c.in.Space(), c.bands, out.Image.Space(), err, c.want)
		}
	}
}

// TestHidden: where nothing shows everything is dropped.
func TestHidden(t *testing.T) {
	p := must(feature.NewPipeline(open(t), steps(func(x ast.Builder) ast.Builder {
		return x.WarpTo(geom.Translate(100, 0), size(8, 8))
	})))
	plan := must(p.Plan(ctx, must(picture(8, 8).Node())))
	if shown, err := plan.Shown(); shown != nil || err != nil {
		t.Errorf("%v shows, %v", shown, err)
	}
	out, report, err := plan.Apply(ctx, feature.Sample{
		Masks:  []feature.Mask{labels()},
		Boxes:  []feature.Boxes{must(feature.NewBoxes([][4]int{{0, 0, 8, 8}}, feature.XYXY, size(8, 8)))},
		Points: []feature.Points{must(feature.NewPoints([][2]int{{4, 4}}, size(8, 8)))},
	})
	if err != nil || out.Boxes[0].Len() != 0 || out.Points[0].Len() != 0 || len(report.Boxes[0].Dropped) != 1 {
		t.Errorf("%v %v %v", out.Boxes, report, err)
	}
	if got := row(out.Masks[0].Pix(), 3); got[0] != 7 || got[7] != 7 {
		t.Errorf("labels %v, want the background", got)
	}
}

func TestPlanSaysWhereThingsGo(t *testing.T) {
	p := must(feature.NewPipeline(open(t), steps(func(x ast.Builder) ast.Builder {
		return x.Scale(2).Crop(image.Rect(4, 0, 12, 8)).Scale(0.5)
	})))
	plan := must(p.Plan(ctx, must(picture(8, 8).Node())))
	m, err := plan.Transform()
	if err != nil || m != geom.Translate(-2, 0) {
		t.Errorf("transform %v %v", m, err)
	}
	shown, err := plan.Shown()
	if x0, y0, x1, y1 := shown.Bounds(); err != nil || [4]float64{x0, y0, x1, y1} != [4]float64{2, 0, 6, 4} {
		t.Errorf("%v shows, %v", shown, err)
	}
	if plan.Pixels().Size() != plan.Size() {
		t.Errorf("pixels are %v, the plan %v", plan.Pixels().Size(), plan.Size())
	}
}

func TestPipelineRefuses(t *testing.T) {
	s := open(t)
	same := func(x ast.Node) (ast.Node, error) { return x, nil }
	broken := errors.New("broken")
	x := must(picture(8, 8).Node())
	on9 := must(feature.NewBoxes([][4]int{{0, 0, 1, 1}}, feature.XYXY, size(9, 9)))
	mask9 := must(feature.NewMask(ramp(9, 9, 1)))
	pipeline := func(f func(ast.Node) (ast.Node, error)) *feature.Pipeline { return must(feature.NewPipeline(s, f)) }
	apply := func(f func(ast.Node) (ast.Node, error), in feature.Sample) error {
		_, _, err := pipeline(f).Apply(ctx, in)
		return err
	}
	opaque := func(x ast.Node) (ast.Node, error) {
		return asttest.NewOp(asttest.Kernel{
			Name: "mirror", Traits: ast.Traits{Margin: ast.WholeInput},
			Pixel: func(at func(x, y, band int) float64, px, y, band int) float64 { return at(x.Size().W-1-px, y, band) },
		}, x)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	for _, c := range []struct {
		want string
		err  error
	}{
		{"takes a session", second(feature.NewPipeline(nil, same))},
		{"takes a session", second(feature.NewPipeline(s, nil))},
		{"minimum visible share NaN", second(feature.NewPipeline(s, same, feature.WithMinVisible(math.NaN())))},
		{"by nearest or mode, not by linear", second(feature.NewPipeline(s, same, feature.WithMaskSampling(ast.Linear)))},
		{"has 0 of source, image and video", apply(same, feature.Sample{})},
		{"has 2 of source, image and video", apply(same, feature.Sample{Image: picture(2, 2), Source: x})},
		{"not *ast.Crop", second(pipeline(same).Plan(ctx, must(ast.NewCrop(x, image.Rect(0, 0, 1, 1)))))},
		{"not <nil>", second(pipeline(same).Plan(ctx, nil))},
		{"broken", apply(func(ast.Node) (ast.Node, error) { return nil, broken }, feature.Sample{Image: picture(8, 8)})},
		{"returned none", apply(func(ast.Node) (ast.Node, error) { return nil, nil }, feature.Sample{Image: picture(8, 8)})},
		{"boxes are on a canvas of 9×9, the picture has 8×8", apply(same, feature.Sample{Image: picture(8, 8), Boxes: []feature.Boxes{on9}})},
		{"polygons are on a canvas of 9×9", apply(same, feature.Sample{Image: picture(8, 8), Polygons: []feature.Polygons{on9.Polygons()}})},
		{"points are on a canvas of 0×0", apply(same, feature.Sample{Image: picture(8, 8), Points: make([]feature.Points, 1)})},
		{"masks are on a canvas of 9×9", apply(same, feature.Sample{Image: picture(8, 8), Masks: []feature.Mask{mask9}})},
		{"mask has no pixels", apply(same, feature.Sample{Image: picture(8, 8), Masks: make([]feature.Mask, 1)})},
		{"does not show the leaf", apply(func(ast.Node) (ast.Node, error) { return must(picture(9, 9).Node()), nil }, feature.Sample{Image: picture(9, 9), Boxes: []feature.Boxes{on9}})},
		{"x-mirror does not declare", apply(opaque, feature.Sample{Image: picture(9, 9), Boxes: []feature.Boxes{on9}})},
		{"x-mirror does not declare", apply(opaque, feature.Sample{Image: picture(9, 9), Masks: []feature.Mask{mask9}})},
		{"no image \"gone\"", second(pipeline(same).Plan(ctx, must(ast.NewLoad("gone", ""))))},
	} {
		fails(t, c.err, c.want)
	}
	// What only moves pixels in its own way is no matter for an image alone.
	if err := apply(opaque, feature.Sample{Image: picture(9, 9)}); err != nil {
		t.Error(err)
	}
	if _, _, err := must(pipeline(same).Plan(ctx, x)).Apply(ctx, feature.Sample{Image: picture(8, 8)}); err == nil {
		t.Error("a plan took another picture than its own")
	}
	if _, _, err := pipeline(same).Apply(cancelled, feature.Sample{Image: picture(8, 8)}); !errors.Is(err, context.Canceled) {
		t.Errorf("after a cancellation: %v", err)
	}
}

// TestConcurrent runs one pipeline and one plan from many goroutines.
func TestConcurrent(t *testing.T) {
	p := must(feature.NewPipeline(open(t, eval.WithThreads(4)), steps(func(x ast.Builder) ast.Builder { return x.Rotate(0.4).Scale(0.7) })))
	in := feature.Sample{
		Image: picture(40, 30),
		Masks: []feature.Mask{must(feature.NewMask(ramp(40, 30, 1)))},
		Boxes: []feature.Boxes{must(feature.NewBoxes([][4]int{{5, 5, 20, 20}, {30, 20, 40, 30}}, feature.XYXY, size(40, 30)))},
	}
	want, _, err := p.Apply(ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	plan := must(p.Plan(ctx, must(in.Image.Node())))
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			for range 10 {
				var got feature.Sample
				var err error
				if i%2 == 0 {
					got, _, err = p.Apply(ctx, in)
				} else {
					got, _, err = plan.Apply(ctx, feature.Sample{Masks: in.Masks, Boxes: in.Boxes})
				}
				if err != nil {
					t.Error(err)
					return
				}
				if !slices.Equal(got.Image.Pix().Bytes(), want.Image.Pix().Bytes()) ||
					!slices.Equal(got.Masks[0].Pix().Bytes(), want.Masks[0].Pix().Bytes()) ||
					!slices.Equal(got.Boxes[0].Values(), want.Boxes[0].Values()) {
					t.Error("a concurrent run differs")
				}
			}
		})
	}
	wait.Wait()
}
