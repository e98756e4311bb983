package asttest

import (
	"context"
	"fmt"
	"image"
	"math"
	"slices"
	"sync"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
)

// Image is a generated raster: what a Load of it knows, and its pixels.
type Image struct {
	Meta ast.Meta
	// Levels are the pixels, full resolution first, then the stored overviews,
	// each of the common type of the bands. Samples that the image's mask marks
	// invalid are 0 in the buffer's Mask, NaN in a float buffer; nodata values
	// are stored as they are.
	Levels []*raster.Buffer

	planes [][]*raster.Buffer // by level and band, each of the band's own type
	ranges [][2]float64       // by band
}

// Images are rasters in memory by uri. They are not changed after they were
// made, and safe for concurrent use.
type Images struct {
	images map[string]*Image
	uris   []string
}

// NewImages are the given images under their uris. It panics where an image's
// levels do not have the sizes that its metadata says.
func NewImages(images map[string]*Image) *Images {
	s := &Images{images: map[string]*Image{}}
	for uri, m := range images {
		if len(m.Levels) != 1+len(m.Meta.Overviews) {
			panic(fmt.Sprintf("asttest: image %q has %d levels, its metadata says %d", uri, len(m.Levels), 1+len(m.Meta.Overviews)))
		}
		for i, b := range m.Levels {
			size := m.Meta.Size
			if i > 0 {
				size = m.Meta.Overviews[i-1]
			}
			if b.W != size.W || b.H != size.H || b.Bands != len(m.Meta.Bands) {
				panic(fmt.Sprintf("asttest: image %q level %d is %d×%d×%d, its metadata says %v×%d", uri, i, b.W, b.H, b.Bands, size, len(m.Meta.Bands)))
			}
		}
		m.split()
		s.images[uri] = m
		s.uris = append(s.uris, uri)
	}
	slices.SortFunc(s.uris, func(a, b string) int { return s.simplerFirst(a, b) })
	return s
}

// simplerFirst orders images by the samples they hold, then by name.
func (s *Images) simplerFirst(a, b string) int {
	if d := s.images[a].Levels[0].Len() - s.images[b].Levels[0].Len(); d != 0 {
		return d
	}
	if a < b {
		return -1
	}
	return 1
}

// Standard are the images that trees are drawn over by default: odd sizes, one
// pixel wide and high, nodata patches, NaN and infinities, nodata values that
// differ from band to band or that the type cannot hold, masks, every sample
// type, one to five bands, and overviews whose ratios are not powers of two.
func Standard() *Images { return standard() }

var standard = sync.OnceValue(makeStandard)

// URIs names the images, the smallest first.
func (s *Images) URIs() []string { return slices.Clone(s.uris) }

// Image finds an image.
func (s *Images) Image(uri string) (*Image, bool) {
	m, ok := s.images[uri]
	return m, ok
}

func (s *Images) find(uri string) (*Image, error) {
	m, ok := s.images[uri]
	if !ok {
		return nil, fmt.Errorf("asttest: no image %q", uri)
	}
	return m, nil
}

// Load is the image as a leaf whose metadata is known. It panics if there is
// no such image.
func (s *Images) Load(uri string) *ast.Load {
	m, err := s.find(uri)
	if err != nil {
		panic(err)
	}
	l, err := ast.NewLoadMeta(uri, "", m.Meta)
	if err != nil {
		panic(err)
	}
	return l
}

// Describe is the metadata of an image. Images thereby is an ast.Describer.
func (s *Images) Describe(_ context.Context, uri string) (ast.Meta, error) {
	m, err := s.find(uri)
	if err != nil {
		return ast.Meta{}, err
	}
	meta := m.Meta
	meta.Bands = slices.Clone(meta.Bands)
	meta.Overviews = slices.Clone(meta.Overviews)
	return meta, nil
}

// Level is the pixels of a stored level, 0 being full resolution. They must
// not be changed.
func (s *Images) Level(uri string, level int) (*raster.Buffer, error) {
	m, err := s.find(uri)
	if err != nil {
		return nil, err
	}
	if level < 0 || level >= len(m.Levels) {
		return nil, fmt.Errorf("asttest: image %q has no level %d", uri, level)
	}
	return m.Levels[level], nil
}

// split stores every band of every level by itself, in its own type.
func (m *Image) split() {
	m.planes = nil
	for _, src := range m.Levels {
		planes := make([]*raster.Buffer, src.Bands)
		for b := range planes {
			planes[b] = raster.New(m.Meta.Bands[b].Type, src.W, src.H, 1)
			copyBands(planes[b], src, src.Bounds(), []int{b})
		}
		m.planes = append(m.planes, planes)
	}
	m.ranges = make([][2]float64, len(m.Meta.Bands))
	for b, band := range m.Meta.Bands {
		m.ranges[b] = rangeOf(m.planes[0][b], band)
	}
}

func rangeOf(p *raster.Buffer, band ast.Band) [2]float64 {
	lo, hi := math.Inf(1), math.Inf(-1)
	for y := range p.H {
		for x := range p.W {
			v, ok := p.At(x, y, 0)
			if ok && !math.IsInf(v, 0) && !(band.HasNoData && v == band.NoData) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	if lo > hi {
		return [2]float64{}
	}
	return [2]float64{lo, hi}
}

// copyBands copies a window of some bands of src to dst, with the mask.
func copyBands(dst, src *raster.Buffer, w image.Rectangle, bands []int) {
	if src.Mask != nil {
		dst.EnsureMask()
	}
	for y := range dst.H {
		for x := range dst.W {
			for i, b := range bands {
				v, ok := src.At(w.Min.X+x, w.Min.Y+y, b)
				dst.Set(x, y, i, v)
				if src.Mask != nil && !ok {
					dst.SetInvalid(x, y, i, v)
				}
			}
		}
	}
}

// ReadWindow returns one band of a window of a stored level, in its own type,
// as an oracle reads it. The pixels must not be changed.
func (s *Images) ReadWindow(ctx context.Context, load *ast.Load, level int, window image.Rectangle, band int) (*raster.Buffer, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	src, err := s.window(load.URI(), level, window, band)
	if err != nil {
		return nil, err
	}
	plane := s.images[load.URI()].planes[level][band]
	if window == src.Bounds() {
		return plane, nil
	}
	dst := raster.New(plane.Type, window.Dx(), window.Dy(), 1)
	copyBands(dst, plane, window, []int{0})
	return dst, nil
}

// window finds a level after checking that it holds a window of some bands.
func (s *Images) window(uri string, level int, window image.Rectangle, bands ...int) (*raster.Buffer, error) {
	src, err := s.Level(uri, level)
	if err != nil {
		return nil, err
	}
	if window.Empty() || !window.In(src.Bounds()) {
		return nil, fmt.Errorf("asttest: window %v exceeds level %d of %q, %d×%d", window, level, uri, src.W, src.H)
	}
	for _, b := range bands {
		if b < 0 || b >= src.Bands {
			return nil, fmt.Errorf("asttest: image %q has no band %d", uri, b)
		}
	}
	return src, nil
}

// ReadInto copies the window of some bands of a level into dst, which becomes
// of the common type of those bands, as an executor reads it.
func (s *Images) ReadInto(ctx context.Context, uri string, level int, window image.Rectangle, bands []int, dst *raster.Buffer) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	src, err := s.window(uri, level, window, bands...)
	if err != nil {
		return err
	}
	t := raster.Unknown
	for _, b := range bands {
		t = raster.Common(t, s.images[uri].Meta.Bands[b].Type)
	}
	dst.Reset(t, window.Dx(), window.Dy(), len(bands))
	copyBands(dst, src, window, bands)
	return nil
}

// Range is the least and the largest finite sample that a band of an image
// stores at full resolution, nodata values left out; 0, 0 if there is none.
func (s *Images) Range(uri string, band int) (lo, hi float64) {
	m, ok := s.images[uri]
	if !ok || band < 0 || band >= len(m.ranges) {
		return 0, 0
	}
	return m.ranges[band][0], m.ranges[band][1]
}
