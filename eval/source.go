package eval

import (
	"context"
	"image"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
)

// Opener opens rasters by uri. It is safe for concurrent use.
type Opener interface {
	ast.Describer
	// Open opens the raster for reading. The caller closes it.
	Open(ctx context.Context, uri string) (Source, error)
}

// Source is an open raster. It is safe for concurrent use.
type Source interface {
	// Meta is what Describe said of the raster.
	Meta() ast.Meta

	// ReadWindow reads the window, in pixels of the level (0 is full
	// resolution, k the k-th stored overview), of the given bands, in the given
	// order, repeats allowed. It resets dst to window × len(bands), of the common type of
	// those bands, so dst's store is reused from read to read. Samples that
	// the file's mask or alpha band marks invalid are 0 in dst.Mask (NaN where
	// the type is float); the nodata value is left for the caller to compare.
	// dst.Mask is nil where the file has no mask.
	// The window must lie inside the level.
	ReadWindow(ctx context.Context, level int, window image.Rectangle, bands []int, dst *raster.Buffer) error

	// Close releases the raster. Reads in flight are waited for; later ones
	// fail.
	Close() error
}

// Ager is implemented by a Source that can tell that its raster was replaced.
// Session.Plan then opens it anew, and forgets what was read of it.
type Ager interface {
	// Stale reports whether what was opened is no longer what its uri names.
	Stale() bool
}

// Plain is implemented by a Source that knows of levels whose samples lie in
// the file as they are read. Reading a window of one again costs no more than
// copying it, so a session that only copies it keeps none of its blocks.
type Plain interface {
	// Plain reports whether a level is stored so.
	Plain(level int) bool
}

// Together is implemented by a Source that can read several windows in less
// time than one after the other.
type Together interface {
	// ReadWindows is ReadWindow for each of the windows, into its buffer of
	// dst. Where it fails, whether it cannot do that or a window is damaged,
	// the session calls ReadWindow for each, which tells.
	ReadWindows(ctx context.Context, level int, windows []image.Rectangle, bands []int, dst []*raster.Buffer) error
}
