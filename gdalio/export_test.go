package gdalio

import (
	"context"

	"github.com/rewarp/rewarp/eval"
)

// ReadsPastGDAL reports whether a level's blocks are read from the file itself.
func ReadsPastGDAL(s eval.Source, level int) bool { return s.(*source).past().has(level) }

// Described is what GDAL says of a raster, and what its header does, nil where
// that is not all.
func Described(uri string) (byGDAL, byHeader any, err error) {
	o := New()
	_, in, err := o.inspect(context.Background(), uri, false)
	if err != nil {
		return nil, nil, err
	}
	d, h, _ := o.header(uri)
	if d == nil {
		return *in, nil, nil
	}
	return *in, *h, d.close()
}
