package imagefile

import (
	"context"
	"image"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// whole is an image that can only be decoded as a whole.
type whole struct {
	size      geom.Size
	bands     []ast.Band
	alpha     int  // index of the alpha band, −1 if none
	keyed     bool // a colour stands for invalid; the last plane of the decoded image tells where
	decode    func() (*raster.Buffer, error)
	turn      chan struct{} // holds a token while nobody decodes
	decoded   *raster.Buffer
	decodeErr error
}

func newWhole(size geom.Size) *whole {
	w := &whole{size: size, alpha: -1, turn: make(chan struct{}, 1)}
	w.turn <- struct{}{}
	return w
}

func (w *whole) meta() *ast.Meta {
	return &ast.Meta{
		Size:    w.size,
		Bands:   append([]ast.Band(nil), w.bands...),
		Block:   geom.Size{W: w.size.W, H: 1},
		HasMask: w.alpha >= 0 || w.keyed,
	}
}

func (w *whole) check(limit int64) error { return checkSamples(w.size, len(w.bands), limit) }

// all is the decoded image. The first reader decodes, the others wait.
func (w *whole) all(ctx context.Context) (_ *raster.Buffer, err error) {
	select {
	case <-w.turn:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { w.turn <- struct{}{} }()
	if w.decoded == nil && w.decodeErr == nil {
		w.decoded, w.decodeErr = w.safely()
	}
	return w.decoded, w.decodeErr
}

func (w *whole) safely() (b *raster.Buffer, err error) {
	defer recovered(&err)
	return w.decode()
}

func (w *whole) read(ctx context.Context, _ int, window image.Rectangle, bands []int, dst *raster.Buffer, valid []byte) error {
	all, err := w.all(ctx)
	if err != nil {
		return err
	}
	size := all.Type.Size()
	from, to := all.Bytes(), dst.Bytes()
	mask := w.alpha
	if w.keyed {
		mask = len(w.bands)
	}
	i := 0
	for y := window.Min.Y; y < window.Max.Y; y++ {
		for x := window.Min.X; x < window.Max.X; x++ {
			p := (y*all.W + x) * all.Bands
			for _, b := range bands {
				copy(to[i*size:(i+1)*size], from[(p+b)*size:])
				if valid != nil {
					valid[i] = 255
					if b != w.alpha && isZero(from[(p+mask)*size:(p+mask+1)*size]) {
						valid[i] = 0
					}
				}
				i++
			}
		}
	}
	return nil
}

func isZero(b []byte) bool {
	for _, v := range b {
		if v != 0 {
			return false
		}
	}
	return true
}

// setBands names the bands: color many are r, g and b or the number 1, and an
// alpha band may follow.
func (w *whole) setBands(t raster.DataType, color int, alpha bool) {
	names := []string{"1"}
	if color == 3 {
		names = []string{"r", "g", "b"}
	}
	if alpha {
		w.alpha = len(names)
		names = append(names, alphaName)
	}
	for _, n := range names {
		w.bands = append(w.bands, ast.Band{Name: n, Type: t})
	}
}

const alphaName = "alpha"
