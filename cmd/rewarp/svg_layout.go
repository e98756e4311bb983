package main

import (
	"slices"

	"github.com/rewarp/rewarp/ast"
)

// Sizes of a diagram, in pixels of its own.
const (
	boxWidth   = 250
	columnGap  = 22
	chainGap   = 16 // between layers where every node has one input
	layerGap   = 30
	titleLine  = 18
	detailLine = 15
	boxPadding = 9
)

// diagram is a tree laid out in layers, the root at the top. Every distinct
// node is in it once, below all its parents.
type diagram struct {
	width, height float64
	boxes         []box
	links         []link
	gap           float64 // between layers
	left          int     // nodes that are left out
}

// box is a node.
type box struct {
	node       ast.Node
	title      string
	details    []string
	x, y, w, h float64
}

// link is the way from a node to one of its inputs: from the middle of its
// lower edge through points to the middle of the input's upper edge. One past
// other nodes goes straight down between them.
type link struct {
	from, to int // boxes
	points   [][2]float64
}

// maxBoxes is how many nodes a diagram holds; further down ones are left out.
const maxBoxes = 400

// layoutTree places a tree.
func layoutTree(root ast.Node) diagram {
	nodes := ordered(root)
	d := diagram{gap: chainGap}
	if len(nodes) > maxBoxes {
		d.left = len(nodes) - maxBoxes
		nodes = nodes[:maxBoxes]
	}
	number := make(map[ast.Node]int, len(nodes))
	layer := make([]int, len(nodes))
	for i, n := range nodes {
		number[n] = i
		if n.NumInputs() > 1 {
			d.gap = layerGap
		}
		title, details := boxText(n)
		d.boxes = append(d.boxes, box{node: n, title: title, details: details, w: boxWidth, h: boxHeight(len(details))})
	}
	depth := 0
	for i, n := range nodes { // parents come first
		for k := range n.NumInputs() {
			if j, ok := number[n.Input(k)]; ok {
				layer[j] = max(layer[j], layer[i]+1)
			}
		}
		depth = max(depth, layer[i])
	}
	top := make([]float64, depth+2)
	for l := range depth + 1 {
		h := 0.0
		for i := range d.boxes {
			if layer[i] == l {
				h = max(h, d.boxes[i].h)
			}
		}
		top[l+1] = top[l] + h + d.gap
	}
	d.height = top[depth+1] - d.gap
	p := placer{diagram: &d, number: number, layer: layer, top: top, done: make([]bool, len(nodes))}
	p.place(0)
	d.width = max(float64(p.columns)*(boxWidth+columnGap)-columnGap, boxWidth)
	p.join()
	return d
}

// ordered are the distinct nodes, every one after all its parents.
func ordered(root ast.Node) []ast.Node {
	var up []ast.Node
	seen := map[ast.Node]bool{}
	var visit func(n ast.Node)
	visit = func(n ast.Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		for i := n.NumInputs() - 1; i >= 0; i-- {
			visit(n.Input(i))
		}
		up = append(up, n)
	}
	visit(root)
	slices.Reverse(up)
	return up
}

func boxHeight(details int) float64 {
	return 2*boxPadding + titleLine + float64(details)*detailLine - 3
}

// placer gives columns to nodes. A node stands over the middle of those of its
// inputs that no earlier parent took; a link past layers takes a column too.
type placer struct {
	*diagram
	number  map[ast.Node]int
	layer   []int
	top     []float64
	done    []bool
	columns int
}

func (p *placer) place(i int) (center float64) {
	p.done[i] = true
	n := p.boxes[i].node
	lo, hi := 0.0, 0.0
	first := true
	span := func(c float64) {
		if first {
			lo, hi, first = c, c, false
		}
		lo, hi = min(lo, c), max(hi, c)
	}
	for k := range n.NumInputs() {
		j, ok := p.number[n.Input(k)]
		if !ok {
			continue
		}
		l := link{from: i, to: j}
		far := p.layer[j] > p.layer[i]+1
		switch {
		case !p.done[j] && !far:
			span(p.place(j))
		case far:
			c := p.column()
			span(c)
			l.points = [][2]float64{{c, p.top[p.layer[i]+1]}, {c, p.top[p.layer[j]] - p.gap}}
		}
		p.links = append(p.links, l)
	}
	if first {
		lo = p.column()
		hi = lo
	}
	p.boxes[i].x = (lo+hi)/2 - boxWidth/2
	p.boxes[i].y = p.top[p.layer[i]]
	return (lo + hi) / 2
}

// column is the middle of a new column.
func (p *placer) column() float64 {
	p.columns++
	return (float64(p.columns)-0.5)*(boxWidth+columnGap) - columnGap/2
}

// join completes the links, and the heights of boxes to those of their layers.
func (p *placer) join() {
	for k := range p.links {
		l := &p.links[k]
		a, b := &p.boxes[l.from], &p.boxes[l.to]
		start := [2]float64{a.x + a.w/2, a.y + a.h}
		under := [2]float64{start[0], p.top[p.layer[l.from]+1] - p.gap}
		end := [2]float64{b.x + b.w/2, b.y}
		points := [][2]float64{start}
		if under[1] > start[1] {
			points = append(points, under)
		}
		l.points = append(append(points, l.points...), end)
	}
}
