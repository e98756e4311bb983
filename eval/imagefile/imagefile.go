package imagefile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/internal/oserr"
)

// Error is a failure to read or write a raster. errors.Is finds the errors of
// package os, fs.ErrClosed and the errors of a context in it.
type Error struct {
	Op  string // what was tried: open, read, create, write, close
	URI string
	Err error
}

// Error reads `imagefile: open "x.tif": no such file or directory`.
func (e *Error) Error() string { return fmt.Sprintf("imagefile: %s %q: %v", e.Op, e.URI, e.Err) }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

func fail(op, uri string, err error) error {
	if err == nil {
		return nil
	}
	return &Error{op, uri, oserr.Cause(err)}
}

// DefaultLimit is how many samples are decoded at once unless WithLimit says
// otherwise.
const DefaultLimit = 1 << 28

// Opener opens image files. It holds nothing open itself.
type Opener struct {
	limit  int64
	expand bool
}

var _ eval.Opener = (*Opener)(nil)

// Option changes how an Opener opens.
type Option func(*Opener)

// WithLimit bounds what is decoded at once, in samples (width × height ×
// bands): a whole PNG or JPEG, or one block of a TIFF. An image over it does
// not open.
func WithLimit(samples int64) Option { return func(o *Opener) { o.limit = samples } }

// WithPaletteExpanded shows a palette as the bands r, g and b of its colours,
// and alpha if it has any, instead of the index. GDAL does not.
func WithPaletteExpanded() Option { return func(o *Opener) { o.expand = true } }

// New returns an Opener.
func New(options ...Option) *Opener {
	o := &Opener{limit: DefaultLimit}
	for _, f := range options {
		f(o)
	}
	return o
}

// Same reports whether another opener opens the same images, so that sessions
// over either may be joined.
func (o *Opener) Same(other eval.Opener) bool {
	p, ok := other.(*Opener)
	return ok && *o == *p
}

// Describe returns the metadata of an image, from its header.
func (o *Opener) Describe(ctx context.Context, uri string) (ast.Meta, error) {
	s, err := o.open(ctx, uri)
	if err != nil {
		return ast.Meta{}, fail("open", uri, err)
	}
	defer s.file.Close()
	return s.Meta(), nil
}

// Open opens an image for reading. The source reads the file that it opened,
// also when another takes its name.
func (o *Opener) Open(ctx context.Context, uri string) (eval.Source, error) {
	s, err := o.open(ctx, uri)
	if err == nil {
		if err = s.pixels.check(o.limit); err != nil {
			s.file.Close()
		}
	}
	if err != nil {
		return nil, fail("open", uri, err)
	}
	return s, nil
}

func (o *Opener) open(ctx context.Context, uri string) (s *source, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if strings.ContainsRune(uri, 0) {
		return nil, errors.New("a file name has no zero byte")
	}
	// Opening a pipe would wait for somebody who writes to it.
	fi, err := os.Stat(uri)
	if err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() {
		return nil, fmt.Errorf("not a regular file (%v)", fi.Mode())
	}
	f, err := os.Open(uri)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	if fi, err = f.Stat(); err != nil {
		return nil, err
	}
	if _, err := os.Stat(uri + ".msk"); err == nil {
		return nil, errors.New("the mask in the .msk file beside it needs GDAL")
	}
	px, err := o.format(f, fi.Size())
	if err != nil {
		return nil, err
	}
	m := px.meta()
	if err := readPAM(uri+".aux.xml", m); err != nil {
		return nil, err
	}
	return &source{uri: uri, file: f, stat: fi, pixels: px, m: *m, closed: make(chan struct{})}, nil
}

// format reads the header of whatever format the file begins with.
func (o *Opener) format(r io.ReaderAt, size int64) (px pixels, err error) {
	defer recovered(&err)
	head := make([]byte, 8)
	n, err := r.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch head := string(head[:n]); {
	case head == pngMagic:
		return newPNG(r, size, o.expand)
	case strings.HasPrefix(head, "\xff\xd8\xff"):
		return newJPEG(r, size)
	case strings.HasPrefix(head, "II*\x00"), strings.HasPrefix(head, "MM\x00*"),
		strings.HasPrefix(head, "II+\x00"), strings.HasPrefix(head, "MM\x00+"):
		return newTIFF(r, size, o.expand)
	}
	return nil, errors.New("not a PNG, JPEG or TIFF; other formats need GDAL")
}

// recovered makes an error of a panic. The decoders meet files from strangers.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("broken image: %v", p)
	}
}
