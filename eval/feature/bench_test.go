package feature_test

import (
	"slices"
	"testing"
	"time"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval/feature"
)

// wrapped is where wrapped features go, so that no wrap is optimized away.
type wrapped struct {
	images   [5]feature.Image
	masks    [5]feature.Mask
	boxes    [5]feature.Boxes
	points   [5]feature.Points
	polygons feature.Polygons
	video    feature.Video
	failed   bool
}

// wrapAll wraps one feature of each type.
func (w *wrapped) wrapAll(r *references) {
	var err [3]error
	w.images[0], err[0] = r.image.WrapLike(r.pix)
	w.masks[0], err[1] = r.mask.WrapLike(r.labels)
	w.boxes[0] = r.boxes.WrapLike(r.boxAt)
	w.points[0] = r.points.WrapLike(r.pointAt)
	w.polygons = r.polygons.WrapLike(r.polygonAt)
	w.video, err[2] = r.video.WrapLike(r.frames)
	w.failed = w.failed || err[0] != nil || err[1] != nil || err[2] != nil
}

// wrapSample is the 20 wraps of one sample: five operations, each on an image,
// a mask, boxes and points.
//
//go:noinline
func (w *wrapped) wrapSample(r *references) {
	for i := range 5 {
		var err, err2 error
		w.images[i], err = r.image.WrapLike(r.pix)
		w.masks[i], err2 = r.mask.WrapLike(r.labels)
		w.boxes[i] = r.boxes.WrapLike(r.boxAt)
		w.points[i] = r.points.WrapLike(r.pointAt)
		w.failed = w.failed || err != nil || err2 != nil
	}
}

func BenchmarkWrapLike(b *testing.B) {
	r, w := newReferences(), &wrapped{}
	for _, c := range []struct {
		name string
		wrap func(n int)
	}{
		{"image", func(n int) {
			for range n {
				w.images[0], _ = r.image.WrapLike(r.pix)
			}
		}},
		{"mask", func(n int) {
			for range n {
				w.masks[0], _ = r.mask.WrapLike(r.labels)
			}
		}},
		{"boxes", func(n int) {
			for range n {
				w.boxes[0] = r.boxes.WrapLike(r.boxAt)
			}
		}},
		{"points", func(n int) {
			for range n {
				w.points[0] = r.points.WrapLike(r.pointAt)
			}
		}},
		{"polygons", func(n int) {
			for range n {
				w.polygons = r.polygons.WrapLike(r.polygonAt)
			}
		}},
		{"video", func(n int) {
			for range n {
				w.video, _ = r.video.WrapLike(r.frames)
			}
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			c.wrap(b.N)
		})
	}
}

// BenchmarkNew is the way that a wrap saves: the general constructors.
func BenchmarkNew(b *testing.B) {
	r, w := newReferences(), &wrapped{}
	b.Run("image", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			w.images[0], _ = feature.NewImage(r.pix)
		}
	})
	b.Run("boxes", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			w.boxes[0], _ = feature.NewBoxes(r.boxAt, feature.CXCYWH, r.boxes.Canvas())
		}
	})
}

// The extrapolation of the discussion about torchvision's wrap_like: a training
// of 600 epochs over 1.2 million samples, in 8 processes.
const (
	samples    = 1000
	wrapCalls  = 20
	inTraining = 1.2e6 * 600 / 8
)

// BenchmarkWrapSample times 1,000 samples of 20 wraps, each often enough for
// the clock, and reports their median.
func BenchmarkWrapSample(b *testing.B) {
	median := wrapMedian(b)
	b.ReportMetric(0, "ns/op") // the metrics below say more
	b.ReportMetric(float64(median.Nanoseconds())/often, "ns/sample")
	b.ReportMetric(median.Seconds()/often*inTraining, "s/training")
}

const often = 100

// wrapMedian is the median time of often samples.
func wrapMedian(b *testing.B) time.Duration {
	r, w := newReferences(), &wrapped{}
	times := make([]time.Duration, samples)
	for range b.N {
		for i := range times {
			start := time.Now()
			for range often {
				w.wrapSample(r)
			}
			times[i] = time.Since(start)
		}
	}
	if w.failed {
		b.Fatal("a wrap failed")
	}
	slices.Sort(times)
	return times[len(times)/2]
}

// BenchmarkApply is a whole sample: the tree is built, optimized, planned and
// run for a small picture, a mask, and 20 boxes.
func BenchmarkApply(b *testing.B) {
	s := open(b)
	p := must(feature.NewPipeline(s, steps(func(x ast.Builder) ast.Builder { return x.Rotate(0.3).Scale(0.5) })))
	at := make([][4]float64, 20)
	for i := range at {
		at[i] = [4]float64{float64(i), float64(2 * i), float64(i + 20), float64(2*i + 15)}
	}
	canvas := size(64, 64)
	sample := feature.Sample{
		Image: picture(64, 64),
		Masks: []feature.Mask{must(feature.NewMask(raster.New(raster.Uint8, 64, 64, 1)))},
		Boxes: []feature.Boxes{must(feature.NewBoxes(at, feature.XYXY, canvas))},
	}
	b.Run("sample", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := p.Apply(ctx, sample); err != nil {
				b.Fatal(err)
			}
		}
	})
	leaf := must(sample.Image.Node())
	b.Run("plan", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			must(p.Plan(ctx, leaf))
		}
	})
	plan := must(p.Plan(ctx, leaf))
	b.Run("boxes", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := plan.Boxes(sample.Boxes[0]); err != nil {
				b.Fatal(err)
			}
		}
	})
}
