package gdalio

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/internal/oserr"
)

// Writer writes a raster window by window. It is safe for concurrent use; its
// windows are written one at a time. One of Close and Abort has to be called.
type Writer struct {
	ctx    context.Context // of Create: what Close still has to do ends with it
	path   string          // as the caller names it
	final  string          // with links followed
	dir    string          // temporary, beside final
	layout *layout

	mu     sync.Mutex
	canvas canvas // nil once closed
	mask   []byte // scratch
	failed error  // the first failure, after which there is nothing to finish
	done   bool
}

// stageName is the GeoTIFF that a format is copied from.
const stageName = "stage.tif"

// result is where the finished raster lies before it is moved in place. It has
// its final name, so that sidecars have theirs.
func (w *Writer) result() string { return filepath.Join(w.dir, "out", filepath.Base(w.final)) }

// WriteWindow writes the samples of src, of the raster's type and bands and of
// the window's size. Samples are stored as they are: an invalid one is expected
// to hold the nodata value already, or NaN.
//
// After a failure the raster cannot be finished, and Close reports it again.
func (w *Writer) WriteWindow(ctx context.Context, window image.Rectangle, src *raster.Buffer) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.failed != nil:
		return w.failed
	case w.done:
		return fail("write", w.path, fs.ErrClosed)
	}
	for _, c := range []context.Context{ctx, w.ctx} {
		if err := c.Err(); err != nil {
			return fail("write", w.path, err)
		}
	}
	if err := w.check(window, src); err != nil {
		return fail("write", w.path, err)
	}
	r := &writeRequest{
		x: window.Min.X, y: window.Min.Y, w: src.W, h: src.H, bands: src.Bands,
		typ: src.Type, data: src.Bytes(), maskType: raster.Uint8,
	}
	if w.layout.mask || w.layout.alphaMask > 0 {
		if w.layout.alphaMask > 0 {
			r.maskType = w.layout.typ
		}
		w.mask = pixelMask(w.mask, src, r.maskType.Size())
		r.mask = w.mask
	}
	stop := watch(ctx, &r.cancel)
	defer stop()
	if err := w.canvas.write(r); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		w.failed = w.fail("write", err)
		return w.failed
	}
	return nil
}

func (w *Writer) fail(op string, err error) error { return fail(op, w.path, w.hide(err)) }

// hide puts the raster's name where GDAL names the temporary file.
func (w *Writer) hide(err error) error {
	lib, ok := err.(libError)
	if !ok {
		return err
	}
	return libError(strings.NewReplacer(w.result(), w.path, w.layout.creation.path, w.path).Replace(string(lib)))
}

func (w *Writer) check(window image.Rectangle, src *raster.Buffer) error {
	l := w.layout
	bands := len(l.names)
	if l.alphaMask > 0 {
		bands--
	}
	switch {
	case window.Empty() || !window.In(image.Rect(0, 0, l.size.W, l.size.H)):
		return fmt.Errorf("window %s is not inside %v", windowText(window), l.size)
	case src.W != window.Dx() || src.H != window.Dy():
		return fmt.Errorf("window %s does not have the size of the buffer, %d×%d", windowText(window), src.W, src.H)
	case src.Bands != bands || src.Type != l.typ:
		return fmt.Errorf("buffer of %d bands of %v, expected %d of %v", src.Bands, src.Type, bands, l.typ)
	case src.Mask != nil && len(src.Mask) != src.Len():
		return fmt.Errorf("mask of %d samples in a buffer of %d", len(src.Mask), src.Len())
	}
	return nil
}

// pixelMask has one mask sample of size bytes for each pixel of src, all bits
// set where any band is valid.
func pixelMask(mask []byte, src *raster.Buffer, size int) []byte {
	mask = grow(mask, src.W*src.H*size)
	for p := range src.W * src.H {
		v := byte(0)
		if anyValid(src, p) {
			v = 255
		}
		for i := range size {
			mask[p*size+i] = v
		}
	}
	return mask
}

func anyValid(b *raster.Buffer, pixel int) bool {
	switch i, j := pixel*b.Bands, (pixel+1)*b.Bands; {
	case b.Type == raster.Float32:
		return slices.ContainsFunc(raster.Samples[float32](b)[i:j], func(v float32) bool { return v == v })
	case b.Type == raster.Float64:
		return slices.ContainsFunc(raster.Samples[float64](b)[i:j], func(v float64) bool { return v == v })
	case b.Mask == nil:
		return true
	default:
		return slices.ContainsFunc(b.Mask[i:j], func(m byte) bool { return m != 0 })
	}
}

// Close finishes the raster and moves it in place, over what was there before.
// If it fails, or a write failed, or the context of Create has ended, nothing is
// left of the new raster.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.done {
		return w.failed
	}
	w.done = true
	defer os.RemoveAll(w.dir)
	err := w.canvas.close()
	switch {
	case w.failed != nil:
		return w.failed
	case w.ctx.Err() != nil:
		err = w.ctx.Err()
	case err == nil:
		err = w.finish()
	}
	w.failed = w.fail("write", err)
	return w.failed
}

// Abort gives the raster up and removes what was written. After Close it does
// nothing, so it can be deferred.
func (w *Writer) Abort() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.done {
		return nil
	}
	w.done = true
	w.failed = fail("write", w.path, fs.ErrClosed)
	w.canvas.close() // what could not be written is not wanted any more
	return fail("abort", w.path, os.RemoveAll(w.dir))
}

func (w *Writer) finish() error {
	if w.layout.staged {
		var cancel *int32
		stop := watch(w.ctx, &cancel)
		err := libCopy(w.layout.driver, w.layout.creation.path, w.result(), w.layout.copyWith, cancel)
		stop()
		if w.ctx.Err() != nil {
			return w.ctx.Err()
		}
		if err != nil {
			return err
		}
	}
	return w.move()
}

// sidecars are the files beside a raster that GDAL would take for its own, so
// those of a replaced raster must not stay.
var sidecars = []string{".aux.xml", ".msk", ".ovr", ".msk.ovr"}

// move puts the finished files in place, the raster itself last.
func (w *Writer) move() error {
	if fi, err := os.Stat(w.final); err == nil {
		if err := os.Chmod(w.result(), fi.Mode().Perm()); err != nil {
			return oserr.Cause(err)
		}
	}
	if err := syncFile(w.result()); err != nil {
		return oserr.Cause(err)
	}
	entries, err := os.ReadDir(filepath.Dir(w.result()))
	if err != nil {
		return oserr.Cause(err)
	}
	base := filepath.Base(w.final)
	for _, s := range sidecars {
		if !slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == base+s }) {
			if err := os.Remove(w.final + s); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return oserr.Cause(err)
			}
		}
	}
	for _, e := range entries {
		if e.Name() == base {
			continue
		}
		if err := os.Rename(filepath.Join(filepath.Dir(w.result()), e.Name()), filepath.Join(filepath.Dir(w.final), e.Name())); err != nil {
			return oserr.Cause(err)
		}
	}
	if err := os.Rename(w.result(), w.final); err != nil {
		return oserr.Cause(err)
	}
	return nil
}

// syncFile makes a file durable before it takes another's name.
func syncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
