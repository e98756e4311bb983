package main

import (
	"fmt"

	"github.com/rewarp/rewarp/ast"
)

// fate is what rewriting did to a node.
type fate uint8

const (
	kept    fate = iota
	changed      // the same operation with other parameters
	added        // in the second tree only
	dropped      // in the first tree only
)

var fateNames = [...]string{"kept", "changed", "new", "dropped"}

func (f fate) String() string { return fateNames[f] }

// marks stand before a node in text.
var fateMarks = [...]string{"  ", "~ ", "+ ", "- "}

// comparison is the fate of every node of two trees.
type comparison struct {
	of map[ast.Node]fate
}

// distinct are the nodes of a tree, parents before children.
func distinct(n ast.Node) []ast.Node {
	var all []ast.Node
	ast.Inspect(n, func(n ast.Node) bool { all = append(all, n); return true })
	return all
}

// compareTrees pairs the nodes of two trees. Nodes that are alike but for their
// inputs are kept, those in the same order first; of the rest, two of the same
// operation are one that changed, those between the same two kept ones first.
func compareTrees(before, after ast.Node) comparison {
	a, b := distinct(before), distinct(after)
	x, y := identities(a), identities(b)
	c := comparison{of: make(map[ast.Node]fate, len(a)+len(b))}
	for _, n := range a {
		c.of[n] = dropped
	}
	for _, n := range b {
		if _, both := c.of[n]; both {
			c.of[n] = kept
		} else {
			c.of[n] = added
		}
	}
	pairs := append(alike(x, y), [2]int{len(a), len(b)})
	for _, p := range pairs[:len(pairs)-1] {
		c.of[a[p[0]]], c.of[b[p[1]]] = kept, kept
	}
	moved := map[string][]ast.Node{}
	for i, n := range a {
		if c.of[n] == dropped {
			moved[x[i]] = append(moved[x[i]], n)
		}
	}
	for j, n := range b {
		if from := moved[y[j]]; c.of[n] == added && len(from) > 0 {
			c.of[n], c.of[from[0]] = kept, kept
			moved[y[j]] = from[1:]
		}
	}
	i, j := 0, 0
	for _, p := range pairs {
		c.between(a[i:p[0]], b[j:p[1]])
		i, j = p[0]+1, p[1]+1
	}
	c.between(a, b) // what has changed and moved
	return c
}

// between pairs nodes of one operation, from the bottom, where the raster is.
func (c comparison) between(a, b []ast.Node) {
	i := len(a) - 1
	for j := len(b) - 1; j >= 0; j-- {
		for k := i; k >= 0 && c.of[b[j]] == added; k-- {
			if c.of[a[k]] == dropped && a[k].Op() == b[j].Op() {
				c.of[a[k]], c.of[b[j]] = changed, changed
				i = k - 1
			}
		}
	}
}

// most bounds the table of alike.
const most = 1 << 22

// alike is a longest common subsequence, as pairs of indices.
func alike(x, y []string) [][2]int {
	var pairs [][2]int
	lo := 0
	for lo < len(x) && lo < len(y) && x[lo] == y[lo] {
		pairs = append(pairs, [2]int{lo, lo})
		lo++
	}
	end := 0
	for end < len(x)-lo && end < len(y)-lo && x[len(x)-1-end] == y[len(y)-1-end] {
		end++
	}
	n, m := len(x)-lo-end, len(y)-lo-end
	if n*m > 0 && n*m <= most {
		length := make([]uint16, (n+1)*(m+1))
		at := func(i, j int) *uint16 { return &length[i*(m+1)+j] }
		for i := n - 1; i >= 0; i-- {
			for j := m - 1; j >= 0; j-- {
				if x[lo+i] == y[lo+j] {
					*at(i, j) = *at(i+1, j+1) + 1
				} else {
					*at(i, j) = max(*at(i+1, j), *at(i, j+1))
				}
			}
		}
		for i, j := 0, 0; i < n && j < m; {
			switch {
			case x[lo+i] == y[lo+j]:
				pairs = append(pairs, [2]int{lo + i, lo + j})
				i, j = i+1, j+1
			case *at(i+1, j) >= *at(i, j+1):
				i++
			default:
				j++
			}
		}
	}
	for k := end; k > 0; k-- {
		pairs = append(pairs, [2]int{len(x) - k, len(y) - k})
	}
	return pairs
}

func identities(nodes []ast.Node) []string {
	ids := make([]string, len(nodes))
	for i, n := range nodes {
		ids[i] = identity(n)
	}
	return ids
}

// identity is the same for nodes that are alike but for their inputs.
func identity(n ast.Node) string {
	id := ast.Label(n)
	switch t := n.(type) {
	case *ast.Load:
		id += "\x00" + t.URI()
	case *ast.Warp:
		id += fmt.Sprint("\x00", t.Transform(), t.Sampling(), t.Domain().Planes())
	case *ast.Raster, ast.Custom:
		id += fmt.Sprintf("\x00%p", n)
	case *ast.Crop:
		id += fmt.Sprint("\x00", t.Picks())
	}
	return id
}
