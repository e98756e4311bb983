package ast

import (
	"fmt"
	"image"

	"github.com/rewarp/rewarp/ast/geom"
)

// Builder builds a tree step by step. The first step that fails ends it: later
// steps do nothing, and Node returns the error, whose path names the step. A
// Builder is a value, so that several trees can continue from one.
type Builder struct {
	node     Node
	sampling Sampling
	steps    int
	err      error
}

// From starts with a node.
func From(n Node) Builder {
	b := Builder{node: n, sampling: DefaultSampling}
	if n == nil {
		b.err = &Error{Op: "from", Arg: "input", Limit: "is nil"}
	}
	return b
}

// FromURI starts with a raster by uri and channel spec, as NewLoad does.
func FromURI(uri, channels string) Builder {
	l, err := NewLoad(uri, channels)
	if err != nil {
		return Builder{err: err}
	}
	return From(l)
}

// Node is the tree, or the error of the first step that failed.
func (b Builder) Node() (Node, error) {
	if b.err != nil {
		return nil, b.err
	}
	return b.node, nil
}

// Apply makes a step of any function, such as the constructor of a custom
// node.
func (b Builder) Apply(f func(Node) (Node, error)) Builder {
	if b.err == nil {
		b.take(f(b.node))
	}
	return b
}

// take is the step that made n, or failed.
func (b *Builder) take(n Node, err error) {
	b.steps++
	if err != nil {
		b.err = At(err, fmt.Sprintf("step %d", b.steps))
		return
	}
	b.node = n
}

// Sampling is how the warps of later steps read.
func (b Builder) Sampling(s Sampling) Builder {
	b.sampling = s
	return b
}

// Warp maps by a forward transform, onto the smallest canvas from the origin
// that holds all positive coordinates.
func (b Builder) Warp(m geom.Transform) Builder { return b.WarpTo(m, geom.Size{}) }

// WarpTo maps by a forward transform onto a canvas of a size.
func (b Builder) WarpTo(m geom.Transform, size geom.Size) Builder {
	if b.err != nil {
		return b
	}
	n, err := NewWarp(b.node, m, size, b.sampling, nil)
	b.take(n, err)
	return b
}

// Scale multiplies both sides by s.
func (b Builder) Scale(s float64) Builder { return b.ScaleXY(s, s) }

// ScaleXY multiplies the width by sx and the height by sy.
func (b Builder) ScaleXY(sx, sy float64) Builder { return b.Warp(geom.Scale(sx, sy)) }

// Translate shifts right by tx and down by ty pixels; what leaves the canvas
// at the left or the top is lost.
func (b Builder) Translate(tx, ty float64) Builder { return b.Warp(geom.Translate(tx, ty)) }

// Rotate turns by theta radians, from the x axis towards the y axis, about the
// centre of the canvas, which keeps its size.
func (b Builder) Rotate(theta float64) Builder {
	return b.Apply(func(n Node) (Node, error) {
		if !n.Known() {
			return nil, &Error{Op: "rotate", Arg: "input", Limit: "has no known canvas to turn about the centre of"}
		}
		x, y := n.Size().Center()
		m := geom.Translate(x, y).Mul(geom.Rotate(theta)).Mul(geom.Translate(-x, -y))
		return nodeOr(NewWarp(n, m, n.Size(), b.sampling, nil))
	})
}

// Resize scales to w × h pixels.
func (b Builder) Resize(w, h int) Builder {
	return b.Apply(func(n Node) (Node, error) {
		size := geom.Size{W: w, H: h}
		if err := checkSize(KindWarp, size); err != nil {
			return nil, err
		}
		if !n.Known() {
			return nil, &Error{Op: "resize", Arg: "input", Limit: "has no known canvas to resize"}
		}
		in := n.Size()
		m := geom.Scale(float64(w)/float64(in.W), float64(h)/float64(in.H))
		return nodeOr(NewWarp(n, m, size, b.sampling, nil))
	})
}

// Crop keeps a window, and the picked bands if there are any.
func (b Builder) Crop(window image.Rectangle, bands ...int) Builder {
	if b.err != nil {
		return b
	}
	n, err := NewCrop(b.node, window, bands...)
	b.take(n, err)
	return b
}

// CropSlice keeps the rows, columns and bands of slices; see the function
// CropSlice.
func (b Builder) CropSlice(slices ...Slice) Builder {
	return b.Apply(func(n Node) (Node, error) { return CropSlice(n, slices...) })
}

// Bands picks, reorders or repeats bands by number.
func (b Builder) Bands(bands ...int) Builder {
	return b.Apply(func(n Node) (Node, error) {
		if !n.Known() {
			return nil, &Error{Op: "bands", Arg: "input", Limit: "has no known bands to pick from"}
		}
		if len(bands) == 0 {
			return nil, checkBandCount(KindCrop, 0)
		}
		return nodeOr(NewCrop(n, image.Rect(0, 0, n.Size().W, n.Size().H), bands...))
	})
}

// Select picks bands by a channel spec. A name that is missing is an error.
func (b Builder) Select(spec string) Builder {
	return b.Apply(func(n Node) (Node, error) { return Select(n, spec, MissingIsError) })
}

// Pad adds invalid pixels at the four sides.
func (b Builder) Pad(left, top, right, bottom int) Builder {
	if b.err != nil {
		return b
	}
	n, err := NewPad(b.node, left, top, right, bottom)
	b.take(n, err)
	return b
}

// Overview takes the level-th reduction.
func (b Builder) Overview(level int) Builder {
	if b.err != nil {
		return b
	}
	n, err := NewOverview(b.node, level)
	b.take(n, err)
	return b
}

// Dequantize maps stored integers to values.
func (b Builder) Dequantize(q Quantization) Builder {
	if b.err != nil {
		return b
	}
	n, err := NewDequantize(b.node, q)
	b.take(n, err)
	return b
}

// Concat appends the bands of others, whose canvases must be equal.
func (b Builder) Concat(others ...Node) Builder {
	return b.Apply(func(n Node) (Node, error) {
		return nodeOr(NewConcat(append([]Node{n}, others...)...))
	})
}
