package imagefile

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/internal/tiff"
)

// tiffImage is a TIFF with its levels and their masks.
type tiffImage struct {
	tiff.Reader
	m       ast.Meta
	levels  []*level // full size first
	masks   []*level // as levels, nil where a level has none
	alpha   int      // index of the alpha band, −1 if none
	palette [][3]uint8
	fill    float64 // the value of blocks that the file leaves out
	cache   blockCache
}

// level is one image of the file.
type level struct{ *tiff.Image }

func (t *tiffImage) level(d tiff.Fields) (*level, error) {
	i, err := t.Image(d)
	return &level{i}, err
}

func newTIFF(r io.ReaderAt, size int64, expand bool) (pixels, error) {
	t := &tiffImage{Reader: tiff.Reader{R: r, Size: size}, alpha: -1}
	dirs, err := t.Directories()
	if err != nil {
		return nil, err
	}
	main, err := t.level(dirs[0])
	if err != nil {
		return nil, err
	}
	if err := t.findLevels(main, dirs[1:]); err != nil {
		return nil, err
	}
	t.setBands(dirs[0])
	if main.Photometric == tiff.PhotometricIndex && expand {
		if err := t.expand(dirs[0]); err != nil {
			return nil, err
		}
	}
	t.m.Size, t.m.Block = main.Size, main.Block
	for _, l := range t.levels[1:] {
		t.m.Overviews = append(t.m.Overviews, l.Size)
	}
	t.m.HasMask = t.masks[0] != nil || t.alpha >= 0
	t.m.Geo = geoTransform(&t.Reader, dirs[0])
	return t, nil
}

// findLevels sorts the images after the first: reductions, masks, and pages
// that have nothing to do with it.
func (t *tiffImage) findLevels(main *level, dirs []tiff.Fields) error {
	const reduced, mask = 1, 4
	t.levels = []*level{main}
	var masks []*level
	for _, d := range dirs {
		kind, err := t.Uints(d, tiff.TagSubfile)
		if err != nil {
			return err
		}
		if len(kind) == 0 || kind[0]&(reduced|mask) == 0 {
			continue
		}
		l, err := t.level(d)
		switch {
		case err != nil:
			return err
		case kind[0]&mask != 0:
			masks = append(masks, l)
		case l.Bands == main.Bands && l.Type == main.Type:
			t.levels = append(t.levels, l)
		}
	}
	t.masks = make([]*level, len(t.levels))
	for i, l := range t.levels {
		for _, m := range masks {
			if m.Size == l.Size {
				t.masks[i] = m
			}
		}
	}
	return nil
}

func (t *tiffImage) setBands(d tiff.Fields) {
	main := t.levels[0]
	names, given := gdalItems(t.Text(d, tiff.TagGDALMetadata))
	v, err := strconv.ParseFloat(strings.TrimSpace(t.Text(d, tiff.TagGDALNoData)), 64)
	v, has := storedNoData(main.Type, v)
	has = has && err == nil
	if !has {
		v = 0
	}
	t.fill = v
	colors := main.colors(given)
	t.alpha = slices.Index(colors, alphaName)
	for i := t.alpha + 1; i < len(colors); i++ { // the last one counts
		if colors[i] == alphaName {
			t.alpha = i
		}
	}
	rgb := slices.Contains(colors, "red") && slices.Contains(colors, "green") && slices.Contains(colors, "blue")
	for i, c := range colors {
		b := ast.Band{Name: strconv.Itoa(i + 1), Type: main.Type, NoData: v, HasNoData: has}
		switch {
		case names[i] != "":
			b.Name = names[i]
		case c == alphaName:
			b.Name = alphaName
		case rgb && (c == "red" || c == "green" || c == "blue"):
			b.Name = c[:1]
		}
		t.m.Bands = append(t.m.Bands, b)
	}
}

// colors is the part that each band plays: what GDAL noted, else what TIFF
// itself tells.
func (l *level) colors(given map[int]string) []string {
	colors := make([]string, l.Bands)
	if l.Photometric == tiff.PhotometricRGB && l.Bands >= 3 {
		copy(colors, []string{"red", "green", "blue"})
	}
	for i, e := range l.Extra {
		if at := l.Bands - len(l.Extra) + i; (e == 1 || e == 2) && at >= 1 {
			colors[at] = alphaName
		}
	}
	for i, c := range given {
		if i >= 0 && i < l.Bands {
			colors[i] = c
		}
	}
	return colors
}

// expand replaces the index band by the colours.
func (t *tiffImage) expand(d tiff.Fields) error {
	table, err := t.Uints(d, tiff.TagColorMap)
	if err != nil {
		return err
	}
	main := t.levels[0]
	n := len(table) / 3
	if n < 1 || main.Bands != 1 || main.Type != raster.Uint8 || main.Bits > 8 {
		return errors.New("a TIFF with this palette needs GDAL")
	}
	for i := range n {
		t.palette = append(t.palette, [3]uint8{uint8(table[i] >> 8), uint8(table[n+i] >> 8), uint8(table[2*n+i] >> 8)})
	}
	t.m.Bands = []ast.Band{{Name: "r", Type: raster.Uint8}, {Name: "g", Type: raster.Uint8}, {Name: "b", Type: raster.Uint8}}
	return nil
}

func (t *tiffImage) meta() *ast.Meta {
	m := t.m
	m.Bands = append([]ast.Band(nil), m.Bands...)
	return &m
}

func (t *tiffImage) check(limit int64) error {
	for _, l := range append(append([]*level(nil), t.levels...), t.masks...) {
		if l == nil {
			continue
		}
		if err := checkSamples(l.Block, l.blockBands(), limit); err != nil {
			return fmt.Errorf("blocks of %w", err)
		}
	}
	return nil
}

func (t *tiffImage) read(ctx context.Context, lv int, window image.Rectangle, bands []int, dst *raster.Buffer, valid []byte) error {
	l := t.levels[lv]
	if t.palette != nil {
		if err := t.readColors(ctx, l, window, bands, dst); err != nil {
			return err
		}
	} else if err := t.readBands(ctx, l, window, bands, dst); err != nil {
		return err
	}
	if valid == nil {
		return nil
	}
	return t.readValid(ctx, lv, window, bands, valid)
}

func (t *tiffImage) readColors(ctx context.Context, l *level, window image.Rectangle, bands []int, dst *raster.Buffer) error {
	index := raster.New(raster.Uint8, dst.W, dst.H, 1)
	if err := t.readBands(ctx, l, window, []int{0}, index); err != nil {
		return err
	}
	to, i := dst.Bytes(), 0
	for _, p := range index.Bytes() {
		if int(p) >= len(t.palette) {
			return fmt.Errorf("broken TIFF: index %d of a palette of %d", p, len(t.palette))
		}
		for _, b := range bands {
			to[i] = t.palette[p][b]
			i++
		}
	}
	return nil
}

// readValid fills the validity from the mask inside the file, else from the
// alpha band.
func (t *tiffImage) readValid(ctx context.Context, lv int, window image.Rectangle, bands []int, valid []byte) error {
	if t.masks[0] == nil {
		a := raster.New(t.levels[lv].Type, window.Dx(), window.Dy(), 1)
		if err := t.readBands(ctx, t.levels[lv], window, []int{t.alpha}, a); err != nil {
			return err
		}
		size := a.Type.Size()
		for i := range valid {
			p, b := i/len(bands), bands[i%len(bands)]
			valid[i] = 255
			if b != t.alpha && isZero(a.Bytes()[p*size:(p+1)*size]) {
				valid[i] = 0
			}
		}
		return nil
	}
	m, from, at := t.masks[lv], window, func(x, y int) (int, int) { return x - window.Min.X, y - window.Min.Y }
	if m == nil {
		// The level was reduced and its mask was not: the full mask tells, at
		// the pixel that holds the centre.
		m = t.masks[0]
		size := t.levels[lv].Size
		scale := func(i, n, full int) int { return min(int((float64(i)+0.5)*float64(full)/float64(n)), full-1) }
		from = image.Rect(scale(window.Min.X, size.W, m.Size.W), scale(window.Min.Y, size.H, m.Size.H),
			scale(window.Max.X-1, size.W, m.Size.W)+1, scale(window.Max.Y-1, size.H, m.Size.H)+1)
		at = func(x, y int) (int, int) {
			return scale(x, size.W, m.Size.W) - from.Min.X, scale(y, size.H, m.Size.H) - from.Min.Y
		}
	}
	if err := checkSamples(geom.Size{W: from.Dx(), H: from.Dy()}, 1, DefaultLimit); err != nil {
		return fmt.Errorf("mask of %w", err)
	}
	b := raster.New(m.Type, from.Dx(), from.Dy(), 1)
	if err := t.readBands(ctx, m, from, []int{0}, b); err != nil {
		return err
	}
	i := 0
	for y := window.Min.Y; y < window.Max.Y; y++ {
		for x := window.Min.X; x < window.Max.X; x++ {
			mx, my := at(x, y)
			v := byte(255)
			if s, _ := b.At(mx, my, 0); s == 0 {
				v = 0
			}
			for range bands {
				valid[i] = v
				i++
			}
		}
	}
	return nil
}
