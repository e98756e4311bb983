package feature_test

import (
	"errors"
	"testing"

	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval/feature"
)

// references are one feature of each type, and buffers to wrap like them.
type references struct {
	image    feature.Image
	mask     feature.Mask
	boxes    feature.Boxes
	points   feature.Points
	polygons feature.Polygons
	video    feature.Video

	pix, labels *raster.Buffer
	frames      []*raster.Buffer
	boxAt       [][4]float64
	pointAt     [][2]float64
	polygonAt   []geom.Polygon
}

func newReferences() *references {
	s := size(64, 48)
	return &references{
		image:     must(feature.NewImage(ramp(64, 48, 3), feature.WithNames("r", "g", "b"))),
		mask:      must(feature.NewMask(ramp(64, 48, 1), feature.WithBackground(255))),
		boxes:     must(feature.NewBoxes([][4]float64{{1, 2, 3, 4}}, feature.CXCYWH, s)),
		points:    must(feature.NewPoints([][2]float64{{1, 2}}, s)),
		polygons:  must(feature.NewPolygons([]geom.Polygon{geom.Rect(0, 0, 1, 1)}, s)),
		video:     must(feature.NewVideo([]*raster.Buffer{ramp(8, 8, 3)}, feature.WithSpace(feature.Multispectral))),
		pix:       ramp(32, 32, 3),
		labels:    ramp(32, 32, 1),
		frames:    []*raster.Buffer{ramp(4, 4, 3), ramp(4, 4, 3)},
		boxAt:     [][4]float64{{5, 6, 7, 8}},
		pointAt:   [][2]float64{{5, 6}},
		polygonAt: []geom.Polygon{geom.Rect(5, 6, 7, 8)},
	}
}

func TestWrapLikeKeepsMetadataAndBuffer(t *testing.T) {
	r := newReferences()
	img, err := r.image.WrapLike(r.pix)
	if err != nil || img.Pix() != r.pix || img.Space() != feature.RGB || img.Bands()[2].Name != "b" || img.Size() != size(32, 32) {
		t.Errorf("image: %v %v %v", img.Size(), img.Space(), err)
	}
	m, err := r.mask.WrapLike(r.labels)
	if err != nil || m.Pix() != r.labels || m.Background() != 255 || m.Kind() != feature.Labels {
		t.Errorf("mask: %v %v", m.Background(), err)
	}
	b := r.boxes.WrapLike(r.boxAt)
	if &b.Values()[0] != &r.boxAt[0] || b.Format() != feature.CXCYWH || b.Canvas() != size(64, 48) {
		t.Errorf("boxes: %v", b)
	}
	if b = r.boxes.On(size(9, 9)).WrapLike(r.boxAt); b.Canvas() != size(9, 9) || b.Len() != 1 {
		t.Errorf("boxes on another canvas: %v", b)
	}
	p := r.points.WrapLike(r.pointAt)
	if &p.Values()[0] != &r.pointAt[0] || p.Canvas() != size(64, 48) || p.On(size(2, 2)).Canvas() != size(2, 2) {
		t.Errorf("points: %v", p)
	}
	g := r.polygons.WrapLike(r.polygonAt)
	if &g.Values()[0] != &r.polygonAt[0] || g.Canvas() != size(64, 48) || g.On(size(2, 2)).Canvas() != size(2, 2) {
		t.Errorf("polygons: %v", g)
	}
	v, err := r.video.WrapLike(r.frames)
	if err != nil || &v.Frames()[0] != &r.frames[0] || v.Space() != feature.Multispectral || v.Frame(1).Pix() != r.frames[1] || v.Size() != size(4, 4) {
		t.Errorf("video: %v %v %v", v.Len(), v.Space(), err)
	}
}

func TestWrapLikeRefuses(t *testing.T) {
	r := newReferences()
	deep := raster.New(raster.Uint16, 2, 2, 3)
	for _, c := range []struct {
		want string
		err  error
	}{
		{"no pixels to wrap like the reference image", second(r.image.WrapLike(nil))},
		{"1 bands of uint8 are not wrapped like the reference image of 3 bands of uint8", second(r.image.WrapLike(r.labels))},
		{"3 bands of uint16 are not", second(r.image.WrapLike(deep))},
		{"the reference image is empty", second(feature.Image{}.WrapLike(r.pix))},
		{"3 bands of uint8 are not wrapped like the reference mask of 1", second(r.mask.WrapLike(r.pix))},
		{"the reference mask is empty", second(feature.Mask{}.WrapLike(r.labels))},
		{"no pixels to wrap like the reference video", second(r.video.WrapLike(nil))},
		{"of uint16 are not", second(r.video.WrapLike([]*raster.Buffer{deep}))},
	} {
		fails(t, c.err, c.want)
		var like *feature.LikeError
		if !errors.As(c.err, &like) {
			t.Errorf("%v is no LikeError", c.err)
		}
	}
}

func TestWrapLikeAllocatesNothing(t *testing.T) {
	r := newReferences()
	var out wrapped
	if n := testing.AllocsPerRun(100, func() { out.wrapAll(r) }); n != 0 {
		t.Errorf("%v allocations for one wrap of each type", n)
	}
}
