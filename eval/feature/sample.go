package feature

import (
	"fmt"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
)

// Sample is one picture with what belongs to it. The picture is one of Source,
// Image and Video; everything else is on its canvas.
type Sample struct {
	Source   ast.Node // an *ast.Load or *ast.Raster, read when it is needed
	Image    Image
	Video    Video
	Masks    []Mask
	Boxes    []Boxes
	Points   []Points
	Polygons []Polygons
}

// Report says, for each of the geometric features of a sample in their order,
// what was kept and what was dropped.
type Report struct {
	Boxes, Points, Polygons []Selection
}

// Selection says where what is left came from.
type Selection struct {
	Kept    []int // the former index of each that is left
	Dropped []Dropped
}

// Dropped is a box, point or polygon that does not show, or too little of it.
type Dropped struct {
	Index   int     // in what the tree was applied to
	Visible float64 // the share of its area that shows, 0 to 1
}

// Select picks the elements that belong to what was kept, such as the classes
// of boxes.
func Select[T any](s Selection, from []T) []T {
	out := make([]T, len(s.Kept))
	for i, k := range s.Kept {
		out[i] = from[k]
	}
	return out
}

// picture is the leaf over the sample's picture.
func (s *Sample) picture() (ast.Node, error) {
	n := 0
	for _, is := range [3]bool{s.Source != nil, !s.Image.IsZero(), !s.Video.IsZero()} {
		if is {
			n++
		}
	}
	switch {
	case n != 1:
		return nil, fmt.Errorf("feature: the sample has %d of source, image and video, expected one", n)
	case s.Source != nil:
		return s.Source, nil
	case s.Video.IsZero():
		return nodeOr(s.Image.Node())
	}
	return nodeOr(s.Video.Frame(0).Node())
}

// nodeOr keeps a nil pointer from becoming a node.
func nodeOr(n *ast.Raster, err error) (ast.Node, error) {
	if err != nil {
		return nil, err
	}
	return n, nil
}

// sameCanvas refuses what is on another canvas than the picture's.
func sameCanvas(what string, got, want geom.Size) error {
	if got != want {
		return fmt.Errorf("feature: %s are on a canvas of %v, the picture has %v", what, got, want)
	}
	return nil
}
