package ast

import (
	"bytes"
	"slices"

	"github.com/rewarp/rewarp/ast/raster"
)

// Equal reports whether a and b are the same tree: the same operations with
// the same arguments over equal inputs. Whether a subtree is shared does not
// matter. It takes time linear in distinct nodes.
//
// Custom nodes are equal if they are one node, or if their method
//
//	EqualNode(Node) bool
//
// says that their own arguments are; it leaves the inputs to Equal.
func Equal(a, b Node) bool {
	// Plain chains need no memory.
	for {
		if a == b {
			return true
		}
		if a == nil || b == nil || !equalShallow(a, b) {
			return false
		}
		switch a.NumInputs() {
		case 0:
			return true
		case 1:
			a, b = a.Input(0), b.Input(0)
			continue
		}
		break
	}
	// Two nodes that must be equal join one class, and stay in it. As there
	// can be no more joins than nodes, the work is linear even where the two
	// trees share different subtrees (Hopcroft and Karp, "A linear algorithm
	// for testing equivalence of finite automata", 1971).
	classes := classes{}
	for stack := [][2]Node{{a, b}}; len(stack) > 0; {
		p := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if p[0] == p[1] || !classes.join(p[0], p[1]) {
			continue
		}
		if !equalShallow(p[0], p[1]) {
			return false
		}
		for i := range p[0].NumInputs() {
			stack = append(stack, [2]Node{p[0].Input(i), p[1].Input(i)})
		}
	}
	return true
}

// classes is a union-find forest over nodes: each to its parent.
type classes map[Node]Node

func (c classes) find(n Node) Node {
	for {
		p, ok := c[n]
		if !ok {
			return n
		}
		if g, ok := c[p]; ok {
			c[n] = g // halve the path
		}
		n = p
	}
}

// join puts both nodes into one class, and reports whether they were apart.
func (c classes) join(a, b Node) bool {
	a, b = c.find(a), c.find(b)
	if a == b {
		return false
	}
	c[a] = b
	return true
}

// equalShallow compares two nodes but for their inputs, whose number it
// compares.
func equalShallow(a, b Node) bool {
	if a.Kind() != b.Kind() || a.NumInputs() != b.NumInputs() {
		return false
	}
	if f, ok := cachedFingerprint(a); ok {
		if g, ok := cachedFingerprint(b); ok && f != g {
			return false
		}
	}
	switch a := a.(type) {
	case *Load:
		b, ok := b.(*Load)
		return ok && a.uri == b.uri && a.channels == b.channels && equalMeta(a.meta, b.meta)
	case *Fill:
		b, ok := b.(*Fill)
		return ok && a.canvas == b.canvas && a.invalid == b.invalid && a.value == b.value && equalBands(a.bands(), b.bands())
	case *Raster:
		b, ok := b.(*Raster)
		return ok && a.canvas == b.canvas && equalBands(a.bands(), b.bands()) && equalPixels(a.pix, b.pix)
	case *Crop:
		b, ok := b.(*Crop)
		return ok && a.window == b.window && slices.Equal(a.picks, b.picks)
	case *Pad:
		b, ok := b.(*Pad)
		return ok && a.left == b.left && a.top == b.top && a.right == b.right && a.bottom == b.bottom
	case *Warp:
		b, ok := b.(*Warp)
		return ok && a.m == b.m && a.Fitted() == b.Fitted() && a.asked() == b.asked() &&
			a.sampling == b.sampling && a.domain.Equal(b.domain)
	case *Overview:
		b, ok := b.(*Overview)
		return ok && a.level == b.level
	case *Dequantize:
		b, ok := b.(*Dequantize)
		return ok && a.q == b.q
	case *Concat:
		return true
	}
	c, ok := a.(interface{ EqualNode(Node) bool })
	return ok && a.Op() == b.Op() && c.EqualNode(b)
}

func equalMeta(a, b *Meta) bool {
	if a == nil || b == nil {
		return a == b
	}
	if (a.Geo == nil) != (b.Geo == nil) || a.Geo != nil && *a.Geo != *b.Geo {
		return false
	}
	return a.Size == b.Size && a.Block == b.Block && a.HasMask == b.HasMask &&
		slices.Equal(a.Overviews, b.Overviews) && equalBands(a.Bands, b.Bands)
}

func equalBands(a, b []Band) bool {
	return slices.EqualFunc(a, b, func(a, b Band) bool {
		return a.Name == b.Name && a.Type == b.Type && a.HasNoData == b.HasNoData &&
			(!a.HasNoData || sameNumber(a.NoData, b.NoData))
	})
}

// sameNumber is ==, but for NaN, which is the same as itself.
func sameNumber[T float32 | float64](a, b T) bool { return a == b || a != a && b != b }

func equalPixels(a, b *raster.Buffer) bool {
	if a == b {
		return true
	}
	if a.Type != b.Type || a.W != b.W || a.H != b.H || a.Bands != b.Bands || (a.Mask == nil) != (b.Mask == nil) {
		return false
	}
	valid := func(m, n byte) bool { return (m != 0) == (n != 0) }
	if !slices.EqualFunc(a.Mask, b.Mask, valid) {
		return false
	}
	switch a.Type {
	case raster.Float32:
		return slices.EqualFunc(raster.Samples[float32](a), raster.Samples[float32](b), sameNumber[float32])
	case raster.Float64:
		return slices.EqualFunc(raster.Samples[float64](a), raster.Samples[float64](b), sameNumber[float64])
	}
	return bytes.Equal(a.Bytes(), b.Bytes())
}
