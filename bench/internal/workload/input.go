package workload

import (
	"bufio"
	"context"
	"fmt"
	"image"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/gdalio"
)

// large is the side of the large files.
func (s Settings) large() int {
	if s.Quick {
		return 2048
	}
	return 8192
}

func (s Settings) largeFile(name string) string {
	return filepath.Join(s.Dir, fmt.Sprintf("large-%s-%d.tif", name, s.large()))
}

func (s Settings) bandFile(side, i int) string {
	return filepath.Join(s.Dir, fmt.Sprintf("band%d-of-%d.tif", i, side))
}

// HugeFile is the input of workload i: a rotation of it is made by HugeMap.
func (s Settings) HugeFile() string { return filepath.Join(s.Dir, "huge.tif") }

// HugeSide is the side of that file and of what is made of it.
const HugeSide = 20_000

// HugeMap is the map of workload i.
func HugeMap() geom.Transform { return turn(HugeSide, HugeSide, 1.0, 0.3) }

// imageOf is a square image in memory by the name of its samples, such as uint8x3.
func (s Settings) imageOf(kind string, side int) *Source {
	typ, count, _ := strings.Cut(kind, "x")
	bands, err := strconv.Atoi(count)
	if err != nil {
		panic(err)
	}
	return s.image(typ, side, bands)
}

func (s Settings) image(typ string, side, bands int) *Source {
	return &Source{Path: filepath.Join(s.Dir, fmt.Sprintf("%sx%d-%d.raw", typ, bands, side)), Type: typ, W: side, H: side, Bands: bands}
}

func sampleBytes(typ string) int {
	t, err := raster.ParseDataType(typ)
	if err != nil {
		panic(err)
	}
	return t.Size()
}

// Make writes the inputs of the cases that are not there yet, telling what it makes.
func (s Settings) Make(ctx context.Context, cases []Case, say func(string)) error {
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		return err
	}
	for _, c := range cases {
		if c.Source != nil {
			if err := once(c.Source.Path, say, func(path string) error { return writeRaw(path, c.Source) }); err != nil {
				return err
			}
		}
		for i, f := range c.Files {
			err := once(f, say, func(path string) error {
				if c.Kind == Concat {
					n := bandSides(c.Size[0])[i]
					return writeTIFF(ctx, path, raster.Uint16, n, 1, c.Maps[i], "COMPRESS=NONE")
				}
				return s.writeLarge(ctx, path, f)
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// MakeHuge writes the input of workload i. It holds the map as its place in the world, with north up, as gdalwarp
// wants it.
func (s Settings) MakeHuge(ctx context.Context, say func(string)) error {
	up := geom.Affine(1, 0, 0, 0, -1, HugeSide)
	return once(s.HugeFile(), say, func(path string) error {
		return writeTIFF(ctx, path, raster.Uint8, HugeSide, 3, up.Mul(HugeMap()), "COMPRESS=NONE")
	})
}

// once makes a file under another name, so that a run that was cut short leaves nothing that a later one would take.
func once(path string, say func(string), make func(path string) error) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	say("making " + filepath.Base(path))
	partial := filepath.Join(filepath.Dir(path), "partial-"+filepath.Base(path))
	if err := make(partial); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.Rename(partial, path)
}

func (s Settings) writeLarge(ctx context.Context, path, name string) error {
	if name != s.largeFile("overviews") {
		compress := "COMPRESS=DEFLATE"
		if name == s.largeFile("plain") {
			compress = "COMPRESS=NONE"
		}
		return writeTIFF(ctx, path, raster.Uint8, s.large(), 3, geom.Identity, compress)
	}
	if err := writeTIFF(ctx, path, raster.Uint8, s.large(), 3, geom.Identity, "COMPRESS=DEFLATE"); err != nil {
		return err
	}
	out, err := exec.CommandContext(ctx, "gdaladdo", "-q", "-r", "average", path, "2", "4", "8", "16", "32").CombinedOutput()
	if err != nil {
		return fmt.Errorf("gdaladdo: %w: %s", err, out)
	}
	return nil
}

func writeTIFF(ctx context.Context, path string, t raster.DataType, side, bands int, place geom.Transform, options ...string) error {
	c := gdalio.Creation{
		Size: geom.Size{W: side, H: side}, Bands: ast.NumberedBands(bands, t), Type: t, Driver: "GTiff",
		Options: append([]string{"BIGTIFF=IF_SAFER"}, options...),
	}
	if bands == 3 {
		for i, name := range []string{"r", "g", "b"} {
			c.Bands[i].Name = name
		}
	}
	if !place.IsIdentity() {
		c.Geo = &ast.GeoRef{Transform: place}
	}
	w, err := gdalio.Create(ctx, path, c)
	if err != nil {
		return err
	}
	p := newPicture(side, bands)
	var strip raster.Buffer
	for y := 0; y < side; y += 256 {
		h := min(256, side-y)
		strip.Reset(t, side, h, bands)
		for dy := range h {
			p.row(&strip, dy, y+dy, nil)
		}
		if err := w.WriteWindow(ctx, image.Rect(0, y, side, y+h), &strip); err != nil {
			_ = w.Abort()
			return err
		}
	}
	return w.Close()
}

func writeRaw(path string, s *Source) error {
	t, err := raster.ParseDataType(s.Type)
	if err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	out := bufio.NewWriterSize(f, 1<<20)
	p := newPicture(s.W, s.Bands)
	row := raster.New(t, s.W, 1, s.Bands)
	for y := range s.H {
		p.row(row, 0, y, s.NoData)
		if _, err := out.Write(row.Bytes()); err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// picture is a generated image: slow and fast waves with a little noise, which compresses about as a photograph does
// and shows a wrong position or a coarser kernel.
type picture struct {
	bands int
	wave  [][]float64 // a band's profile
}

func newPicture(side, bands int) *picture {
	p := &picture{bands: bands}
	for b := range bands {
		profile := make([]float64, side)
		for i := range profile {
			x := float64(i)
			profile[i] = 0.6*math.Sin(x/(97+7*float64(b))) + 0.3*math.Sin(x/13+float64(b)) + 0.1*math.Sin(x/3.1)
		}
		p.wave = append(p.wave, profile)
	}
	return p
}

// row fills row dst of a buffer with row y, values of 4 to 252, times 256 in uint16 and 38 in int16.
func (p *picture) row(b *raster.Buffer, dst, y int, noData *float64) {
	scale := 1.0
	switch b.Type {
	case raster.Uint16:
		scale = 256
	case raster.Int16:
		scale = 38
	}
	for x := range b.W {
		for band := range p.bands {
			v := 128 + 120*0.5*(p.wave[band][x]+p.wave[band][y])
			h := hash(uint32(x), uint32(y), uint32(band))
			v += float64(h&7) - 3.5
			v *= scale
			if b.Type.IsFloat() {
				v += float64(h>>8&1023) / 1024
			}
			if noData != nil && (x/64+y/64)%11 == 0 {
				v = *noData
			}
			b.Set(x, dst, band, v)
		}
	}
}

func hash(x, y, band uint32) uint32 {
	h := x*0x9E3779B1 ^ y*0x85EBCA77 ^ band*0xC2B2AE3D
	h ^= h >> 15
	h *= 0x2C1B3C6D
	return h ^ h>>13
}

// sourcePixels is how much of the source an output shows, in pixels of the source, never more than it has.
func sourcePixels(c *Case) int64 {
	inv, ok := c.Maps[0].Inverse()
	if !ok {
		return 0
	}
	const n = 128
	area := 0.0
	cell := float64(c.Size[0]) / n * float64(c.Size[1]) / n
	for j := range n {
		for i := range n {
			x, y := (float64(i)+0.5)*float64(c.Size[0])/n, (float64(j)+0.5)*float64(c.Size[1])/n
			u, v := inv.Apply(x, y)
			if u >= 0 && v >= 0 && u < float64(c.Source.W) && v < float64(c.Source.H) {
				d := inv.Jacobian(x, y)
				area += cell * math.Abs(d[0]*d[3]-d[1]*d[2])
			}
		}
	}
	return min(int64(area), int64(c.Source.W)*int64(c.Source.H))
}

func movedBy(c *Case) int64 {
	pixel := int64(c.Source.Bands) * int64(sampleBytes(c.Source.Type))
	return (sourcePixels(c) + int64(c.Size[0])*int64(c.Size[1])) * pixel
}

// Read loads a raw image.
func (s *Source) Read() (*raster.Buffer, error) {
	t, err := raster.ParseDataType(s.Type)
	if err != nil {
		return nil, err
	}
	return ReadRaw(s.Path, t, s.W, s.H, s.Bands)
}

// ReadRaw loads a raw image of a known shape.
func ReadRaw(path string, t raster.DataType, w, h, bands int) (*raster.Buffer, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	b := raster.New(t, w, h, bands)
	if len(data) != len(b.Bytes()) {
		return nil, fmt.Errorf("%s has %d bytes, expected %d", path, len(data), len(b.Bytes()))
	}
	copy(b.Bytes(), data)
	return b, nil
}
