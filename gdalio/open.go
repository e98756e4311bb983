package gdalio

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
)

// Opener opens rasters through GDAL. It holds nothing open itself.
type Opener struct {
	drivers []string
	options []string
	handles int

	confined bool // drivers are all that may be opened, also by what a raster refers to
	features []Feature
}

var _ eval.Opener = (*Opener)(nil)

// Option changes how an Opener opens.
type Option func(*Opener)

// WithDrivers allows only the formats of these short names, such as GTiff.
// Unlike GDAL, it takes no driver at all, after WithDrivers(), to mean that
// nothing opens.
func WithDrivers(names ...string) Option {
	return func(o *Opener) { o.drivers = append([]string{}, names...) }
}

// WithOpenOptions passes open options, each KEY=VALUE, to the driver.
func WithOpenOptions(options ...string) Option {
	return func(o *Opener) { o.options = append(o.options, options...) }
}

// WithHandles bounds how many handles of one raster are open at a time, so how
// many reads of it run at once; further reads wait. The default is
// runtime.GOMAXPROCS. A GDAL handle serves one read at a time.
func WithHandles(n int) Option { return func(o *Opener) { o.handles = max(1, n) } }

// New returns an Opener.
func New(options ...Option) *Opener {
	o := &Opener{handles: runtime.GOMAXPROCS(0)}
	for _, f := range options {
		f(o)
	}
	return o
}

// Describe returns the metadata of a raster.
//
// A band is named after its description in the file; else r, g and b when the
// file has a band for each of these colours; else by its number from 1. An
// alpha band is named alpha, stays one of the bands, and is the mask of the
// others: 0 is invalid. A band of a palette is the index band.
//
// HasMask tells of an alpha band, a mask inside the file, and a .msk beside it.
// A nodata value that no sample can have is left out, and so is NaN, which is
// invalid anyway.
func (o *Opener) Describe(ctx context.Context, uri string) (ast.Meta, error) {
	if err := ctx.Err(); err != nil {
		return ast.Meta{}, fail("open", uri, err)
	}
	if d, in, _ := o.header(uri); d != nil {
		d.close()
		return in.meta(), nil
	}
	_, in, err := o.inspect(ctx, uri, false)
	if err != nil {
		return ast.Meta{}, err
	}
	return in.meta(), nil
}

// Open opens a raster for reading.
func (o *Opener) Open(ctx context.Context, uri string) (eval.Source, error) {
	if err := ctx.Err(); err != nil {
		return nil, fail("open", uri, err)
	}
	if d, in, was := o.header(uri); d != nil {
		s := newSource(o, uri, in, was)
		s.looked.Do(func() { s.direct = d })
		return s, nil
	}
	h, in, err := o.inspect(ctx, uri, true)
	if err != nil {
		return nil, err
	}
	s := newSource(o, uri, in, h.stamp)
	s.giveBack(h)
	return s, nil
}

// Files lists the files that a raster refers to, as GDAL does: the file itself,
// sidecars such as .msk and .aux.xml, and the sources of a VRT. It does not
// look into those sources: one that is a VRT again has files of its own, and
// GDAL leaves out a source that does not exist.
func (o *Opener) Files(ctx context.Context, uri string) ([]string, error) {
	h, err := o.open(ctx, uri)
	if err != nil {
		return nil, err
	}
	defer h.ds.close()
	return h.ds.files(), nil
}

// Files is Opener.Files of an Opener without options.
func Files(ctx context.Context, uri string) ([]string, error) { return New().Files(ctx, uri) }

// fileHandle is a dataset with the state of its file when it was opened.
type fileHandle struct {
	ds    dataset
	stamp stamp
	masks []byte // scratch
	req   readRequest
}

// stamp is what tells that a local file was replaced. It is zero for what is
// no local file.
type stamp struct {
	local bool
	mtime time.Time
	size  int64
}

// errPipe is what opening would wait in for somebody who writes, without end.
var errPipe = errors.New("a pipe, and rasters are read from files")

func stampOf(uri string) (stamp, error) {
	fi, err := os.Stat(uri)
	if err != nil {
		return stamp{}, err
	}
	if fi.Mode()&os.ModeNamedPipe != 0 {
		return stamp{}, errPipe
	}
	return stampFrom(fi), nil
}

func stampFrom(fi os.FileInfo) stamp { return stamp{true, fi.ModTime(), fi.Size()} }

func (o *Opener) open(ctx context.Context, uri string) (*fileHandle, error) {
	if err := ctx.Err(); err != nil {
		return nil, fail("open", uri, err)
	}
	if uri == "" || strings.ContainsRune(uri, 0) {
		return nil, fail("open", uri, errors.New("not a name that a raster can have"))
	}
	if o.drivers != nil && len(o.drivers) == 0 {
		return nil, fail("open", uri, errors.New("no driver is allowed"))
	}
	s, err := stampOf(uri)
	if err == errPipe {
		return nil, fail("open", uri, err)
	}
	ds, err := libOpen(uri, o.drivers, o.options)
	if err != nil {
		if other := o.otherFormat(uri); other != nil {
			err = other
		}
		return nil, fail("open", uri, err)
	}
	return &fileHandle{ds: ds, stamp: s}, nil
}

// inspect opens and describes a raster, and closes it again unless it is to be
// kept.
func (o *Opener) inspect(ctx context.Context, uri string, keep bool) (*fileHandle, *info, error) {
	h, err := o.open(ctx, uri)
	if err != nil {
		return nil, nil, err
	}
	in, err := h.ds.describe(ast.MaxBands)
	if err == nil {
		err = in.check()
	}
	if err != nil || !keep {
		h.ds.close()
	}
	if err != nil {
		return nil, nil, fail("open", uri, err)
	}
	return h, in, nil
}

// check refuses what rewarp cannot hold.
func (in *info) check() error {
	switch {
	case in.count == 0:
		return errors.New("it has no raster bands; a container's parts are opened by their subdataset names")
	case in.count > ast.MaxBands:
		return fmt.Errorf("%d bands exceed the limit of %d", in.count, ast.MaxBands)
	case in.size.W < 1 || in.size.H < 1:
		return fmt.Errorf("its size of %v pixels is not valid", in.size)
	}
	for i, b := range in.bands {
		if b.typ == raster.Unknown {
			return fmt.Errorf("band %d is of type %s, expected one of uint8 to int32, float32 or float64", i+1, b.typeName)
		}
	}
	return nil
}
