package imagefile

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// Creation describes an image to write. It is as in package gdalio, which has
// more formats and compresses TIFF.
type Creation struct {
	Size geom.Size

	// Bands gives each band's name and nodata value, one value for all. A band
	// named alpha is written as one.
	Bands []ast.Band

	// Type is the one type of all bands. Unknown is the common type of Bands.
	Type raster.DataType

	Geo *ast.GeoRef // nil: not georeferenced

	// WithMask stores which pixels are valid: a mask inside a TIFF, an alpha
	// band in a PNG of one or three bands. A pixel is valid where any of its
	// bands is. What is never written is invalid.
	WithMask bool
}

// Writer writes an image window by window. It is safe for concurrent use. One
// of Close and Abort has to be called.
type Writer struct {
	ctx   context.Context // of Create: Close fails once it has ended
	path  string          // as the caller names it
	final string          // with links followed
	dir   string          // temporary, beside final
	c     Creation
	pam   pamDataset // what the format has no place for
	file  *os.File

	mu     sync.Mutex
	format encoder
	failed error
	done   bool
}

// encoder writes one format. It is called by one goroutine at a time.
type encoder interface {
	write(window image.Rectangle, src *raster.Buffer) error
	finish() error
}

// Create begins to write a PNG (uint8 or uint16, up to four bands, held in
// memory until Close) or an uncompressed TIFF (any type, written as it comes),
// by the extension of a local file's name.
//
// Everything is written in a new folder beside the file and moved in place by
// Close, so until then, and after a failure, the file is what it was before.
// A reference system goes to an .aux.xml file beside the image, where GDAL
// looks for it, and so does what PNG has no place for.
func Create(ctx context.Context, path string, c Creation) (*Writer, error) {
	w, err := create(ctx, path, c)
	if err != nil {
		return nil, fail("create", path, err)
	}
	return w, nil
}

func create(ctx context.Context, path string, c Creation) (_ *Writer, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if c.Type == raster.Unknown {
		for _, b := range c.Bands {
			c.Type = raster.Common(c.Type, b.Type)
		}
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	w := &Writer{ctx: ctx, path: path, c: c}
	if w.final, err = target(path); err != nil {
		return nil, err
	}
	if w.dir, err = os.MkdirTemp(filepath.Dir(w.final), "."+filepath.Base(w.final)+".*"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			w.remove()
		}
	}()
	if w.file, err = os.OpenFile(w.temporary(), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666); err != nil {
		return nil, err
	}
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".tif", ".tiff":
		w.format, err = newTIFFWriter(w.file, &w.c, &w.pam)
	case ".png":
		w.format, err = newPNGWriter(w.file, &w.c, &w.pam)
	default:
		err = fmt.Errorf("extension %q is not one of .tif, .tiff and .png; other formats need GDAL", ext)
	}
	if err != nil {
		return nil, err
	}
	return w, nil
}

func (c *Creation) check() error {
	switch {
	case c.Size.W < 1 || c.Size.H < 1 || c.Size.W > ast.MaxExtent || c.Size.H > ast.MaxExtent:
		return fmt.Errorf("a size of %v pixels is not one of 1×1 to %d×%d", c.Size, ast.MaxExtent, ast.MaxExtent)
	case len(c.Bands) == 0 || len(c.Bands) > math.MaxUint16:
		return fmt.Errorf("%d bands, expected 1 to %d", len(c.Bands), math.MaxUint16)
	case c.Type == raster.Unknown:
		return errors.New("neither the raster nor its bands have a type")
	case c.Geo != nil && !(c.Geo.Transform.IsAffine() && c.Geo.Transform.IsFinite()):
		return fmt.Errorf("the transform to world coordinates %v is not affine and finite", c.Geo.Transform)
	}
	first := c.Bands[0]
	for i, b := range c.Bands {
		nan := c.Type.IsFloat() && math.IsNaN(b.NoData)
		if _, ok := storedNoData(c.Type, b.NoData); b.HasNoData && !ok && !nan {
			return fmt.Errorf("nodata value %v of band %d (%s) is not a value of %v", b.NoData, i+1, b.Name, c.Type)
		}
		if b.HasNoData != first.HasNoData || b.HasNoData && b.NoData != first.NoData && !math.IsNaN(b.NoData+first.NoData) {
			return fmt.Errorf("the file stores one nodata value for all bands, band 1 has %s and band %d has %s; leave it out and write a mask",
				noDataText(first), i+1, noDataText(b))
		}
	}
	return nil
}

func noDataText(b ast.Band) string {
	if !b.HasNoData {
		return "none"
	}
	return strconv.FormatFloat(b.NoData, 'g', -1, 64)
}

func (c *Creation) rgb() bool {
	return len(c.Bands) >= 3 && c.Bands[0].Name == "r" && c.Bands[1].Name == "g" && c.Bands[2].Name == "b"
}

// storedName is a band's name where a reader would not give it anyway.
func (c *Creation) storedName(i int) string {
	name := c.Bands[i].Name
	if name == alphaName || name == strconv.Itoa(i+1) || c.rgb() && i < 3 {
		return ""
	}
	return name
}

func (w *Writer) temporary() string { return filepath.Join(w.dir, filepath.Base(w.final)) }

func (w *Writer) remove() {
	if w.file != nil {
		w.file.Close()
	}
	os.RemoveAll(w.dir)
}

// target is the regular file, there or not, that path leads to.
func target(path string) (string, error) {
	if path == "" || strings.ContainsRune(path, 0) {
		return "", errors.New("not a file name")
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	fi, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return path, nil
	case err != nil:
		return "", err
	case !fi.Mode().IsRegular():
		return "", fmt.Errorf("it is there and not a regular file (%v)", fi.Mode())
	}
	return path, nil
}

// WriteWindow writes the samples of src, of the image's type and bands and of
// the window's size, as they are: an invalid one is expected to hold the nodata
// value already, or NaN.
//
// After a failure to write the image cannot be finished, and Close reports it
// again.
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
	if err := w.checkWindow(window, src); err != nil {
		return fail("write", w.path, err)
	}
	w.failed = fail("write", w.path, w.format.write(window, src))
	return w.failed
}

func (w *Writer) checkWindow(window image.Rectangle, src *raster.Buffer) error {
	c := &w.c
	switch {
	case window.Empty() || !window.In(image.Rect(0, 0, c.Size.W, c.Size.H)):
		return fmt.Errorf("window %s is not inside %v", windowText(window), c.Size)
	case src.W != window.Dx() || src.H != window.Dy():
		return fmt.Errorf("window %s does not have the size of the buffer, %d×%d", windowText(window), src.W, src.H)
	case src.Bands != len(c.Bands) || src.Type != c.Type:
		return fmt.Errorf("buffer of %d bands of %v, expected %d of %v", src.Bands, src.Type, len(c.Bands), c.Type)
	case src.Mask != nil && len(src.Mask) != src.Len():
		return fmt.Errorf("mask of %d samples in a buffer of %d", len(src.Mask), src.Len())
	}
	return nil
}

// pixelValid tells whether any band of a pixel is valid.
func pixelValid(b *raster.Buffer, x, y int) bool {
	for k := range b.Bands {
		if _, ok := b.At(x, y, k); ok {
			return true
		}
	}
	return false
}

// Close finishes the image and moves it in place, over what was there before.
// If it fails, or a write failed, or the context of Create has ended, nothing
// is left of the new image.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.done {
		return w.failed
	}
	w.done = true
	defer w.remove()
	if w.failed == nil {
		err := w.ctx.Err()
		if err == nil {
			err = w.finish()
		}
		w.failed = fail("write", w.path, err)
	}
	return w.failed
}

// Abort gives the image up and removes what was written. After Close it does
// nothing, so it can be deferred.
func (w *Writer) Abort() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.done {
		return nil
	}
	w.done = true
	w.failed = fail("write", w.path, fs.ErrClosed)
	w.remove()
	return nil
}

// finish writes what is left and puts the files in place, the image last. Files
// of the image that it replaces, which a reader would take for its own, go.
func (w *Writer) finish() error {
	if err := w.format.finish(); err != nil {
		return err
	}
	if fi, err := os.Stat(w.final); err == nil {
		if err := w.file.Chmod(fi.Mode().Perm()); err != nil {
			return err
		}
	}
	if err := w.file.Sync(); err != nil {
		return err
	}
	if err := w.file.Close(); err != nil {
		return err
	}
	const pam = ".aux.xml"
	for _, side := range []string{pam, ".msk", ".ovr", ".msk.ovr"} {
		if side == pam && !w.pam.empty() {
			text, err := xml.MarshalIndent(&w.pam, "", "  ")
			if err != nil {
				return err
			}
			if err := os.WriteFile(w.temporary()+pam, text, 0o666); err != nil {
				return err
			}
			if err := os.Rename(w.temporary()+pam, w.final+pam); err != nil {
				return err
			}
			continue
		}
		if err := os.Remove(w.final + side); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return os.Rename(w.temporary(), w.final)
}
