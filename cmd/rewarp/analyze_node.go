package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/eval"
)

// nodeJSON is a node of the tree that was run, with what its step was estimated
// to take and what it took. A node that is fused into the step of another has
// its estimate and its measurement there.
type nodeJSON struct {
	ID       int     `json:"id"` // from 1, the root; 0 is a copy that no node asks for
	Path     string  `json:"path"`
	Node     string  `json:"node"`
	Step     string  `json:"step"`                 // read, sample, copy, custom, dequantize, or fused
	FusedIn  int     `json:"fused_into,omitempty"` // the id of the node whose step it is part of
	Samples  int64   `json:"samples_estimated"`
	Computed int64   `json:"samples"`
	Blocks   int64   `json:"blocks_estimated"`
	Decoded  int64   `json:"blocks"`
	Hits     int64   `json:"block_hits"`
	Bytes    int64   `json:"bytes_estimated"`
	Moved    int64   `json:"bytes"`
	Calls    int64   `json:"calls"`
	Seconds  float64 `json:"seconds"` // summed over threads
}

// Steps of nodes that have none of their own.
const (
	fused  = "fused"
	unused = "not run"
)

// nodesOf joins the steps of a plan with the nodes of its tree.
func nodesOf(root ast.Node, steps []eval.Step) []nodeJSON {
	var all []nodeJSON
	id := map[ast.Node]int{} // from 1
	number(root, "", func(n ast.Node, path string) {
		all = append(all, nodeJSON{ID: len(all) + 1, Path: path, Node: nodeText(n), Step: unused})
		id[n] = len(all)
	})
	for i, s := range steps {
		row := &nodeJSON{}
		if s.Node == nil {
			what := "conversion"
			if i == 0 {
				what = "output"
			}
			all = append(all, nodeJSON{Node: what})
			row = &all[len(all)-1]
		} else {
			row = &all[id[s.Node]-1]
		}
		row.Step, row.FusedIn = s.Kind.String(), 0
		row.Samples += s.Planned.Samples
		row.Blocks += s.Planned.Blocks
		row.Bytes += s.Planned.Bytes
		row.Computed += s.Samples
		row.Decoded += s.Blocks
		row.Hits += s.Hits
		row.Moved += s.Bytes
		row.Calls += s.Calls
		row.Seconds += s.Time.Seconds()
		for _, n := range s.Fused {
			if r := &all[id[n]-1]; r.Step == unused {
				r.Step, r.FusedIn = fused, id[s.Node]
			}
		}
	}
	return all
}

// number visits the distinct nodes of a tree, the root first, with the path that
// each is first met on.
func number(root ast.Node, path string, f func(n ast.Node, path string)) {
	seen := map[ast.Node]bool{}
	var visit func(n ast.Node, path string)
	visit = func(n ast.Node, path string) {
		if seen[n] {
			return
		}
		seen[n] = true
		f(n, path)
		for i := range n.NumInputs() {
			visit(n.Input(i), strings.TrimPrefix(path+"/"+ast.Step(n, i), "/"))
		}
	}
	visit(root, path)
}

// nodeText is for example "Load 512×512 astro.tif".
func nodeText(n ast.Node) string {
	name, _, _ := strings.Cut(ast.Label(n), " ")
	text := name + " " + n.Size().String()
	if l, ok := n.(*ast.Load); ok {
		text += " " + filepath.Base(l.URI())
	}
	return text
}

// cells are a row of the table, without the node.
func (n *nodeJSON) cells() (step, samples, blocks, bytes, time string) {
	switch n.Step {
	case fused:
		return fmt.Sprintf("in %d", n.FusedIn), "", "", "", ""
	case unused:
		return unused, "", "", "", ""
	}
	samples = count(float64(n.Samples)) + " / " + count(float64(n.Computed))
	if n.Blocks > 0 || n.Decoded > 0 {
		blocks = count(float64(n.Blocks)) + " / " + count(float64(n.Decoded))
	}
	bytes = byteText(float64(n.Bytes)) + " / " + byteText(float64(n.Moved))
	return n.Step, samples, blocks, bytes, duration(n.Seconds)
}

// label is the node with its number, where it has one.
func (n *nodeJSON) label() string {
	if n.ID == 0 {
		return n.Node
	}
	return fmt.Sprintf("%d %s", n.ID, n.Node)
}

// nodeRow is a row of the table on a page.
type nodeRow struct {
	Node, Step, Samples, Blocks, Bytes, Time string
}

func nodeRows(nodes []nodeJSON) []nodeRow {
	rows := make([]nodeRow, len(nodes))
	for i := range nodes {
		r := &rows[i]
		r.Node = nodes[i].label()
		r.Step, r.Samples, r.Blocks, r.Bytes, r.Time = nodes[i].cells()
	}
	return rows
}

func nodeTable(b *bytes.Buffer, nodes []nodeJSON) {
	b.WriteString("\nof each node, estimated / measured, time summed over threads\n")
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "  node\tstep\tsamples\tblocks\tbytes\ttime")
	for _, r := range nodeRows(nodes) {
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%s\t%s\n", r.Node, r.Step, r.Samples, r.Blocks, r.Bytes, r.Time)
	}
	w.Flush()
}
