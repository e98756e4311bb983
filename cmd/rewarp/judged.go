package main

import (
	"context"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/eval/oracle"
)

// judged is what an oracle computed, as pixels to be written.
type judged struct {
	*oracle.Result
	typ raster.DataType
	geo *ast.GeoRef
}

func (j *judged) Size() geom.Size       { return j.Result.Size }
func (j *judged) Bands() []ast.Band     { return j.Result.Bands }
func (j *judged) Type() raster.DataType { return j.typ }
func (j *judged) Geo() *ast.GeoRef      { return j.geo }

// Stream gives everything as one tile.
func (j *judged) Stream(_ context.Context, emit emitter, _ ...eval.RunOption) error {
	b := j.Buffer(j.typ)
	return emit(b.Bounds(), b)
}
