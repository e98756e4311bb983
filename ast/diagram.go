package ast

import (
	"fmt"
	"strings"
)

// Cluster is a tree with a title, for a diagram of several trees.
type Cluster struct {
	Title string
	Root  Node
}

// FormatDOT is the tree as a Graphviz graph, an edge from each node to each of
// its inputs.
func FormatDOT(n Node) string {
	var b strings.Builder
	b.WriteString(dotHead)
	dot(&b, n, 0, "  ")
	b.WriteString("}\n")
	return b.String()
}

// FormatDOTClusters is one Graphviz graph of several trees, side by side in
// boxes with their titles.
func FormatDOTClusters(clusters ...Cluster) string {
	var b strings.Builder
	b.WriteString(dotHead)
	id := 0
	for i, c := range clusters {
		fmt.Fprintf(&b, "  subgraph cluster%d {\n    label=\"%s\";\n", i, dotEscape(c.Title))
		id = dot(&b, c.Root, id, "    ")
		b.WriteString("  }\n")
	}
	b.WriteString("}\n")
	return b.String()
}

const dotHead = "digraph tree {\n  node [shape=box, fontname=\"monospace\"];\n"

// dot writes the nodes and edges of a tree, numbered from id, and returns the
// next number.
func dot(b *strings.Builder, n Node, id int, indent string) int {
	return diagram(n, id, func(id int, n Node) {
		fmt.Fprintf(b, "%sn%d [label=\"%s\"];\n", indent, id, dotEscape(title(n))+`\n`+dotEscape(strings.Join(labelFields(n), "\n")))
	}, func(from, to, input, inputs int) {
		if inputs == 1 {
			fmt.Fprintf(b, "%sn%d -> n%d;\n", indent, from, to)
		} else {
			fmt.Fprintf(b, "%sn%d -> n%d [label=\"%d\"];\n", indent, from, to, input)
		}
	})
}

// FormatMermaid is the tree as a Mermaid flow chart.
func FormatMermaid(n Node) string {
	var b strings.Builder
	b.WriteString(mermaidHead)
	mermaid(&b, n, 0, "  ")
	return b.String()
}

// FormatMermaidClusters is one Mermaid flow chart of several trees, side by
// side in boxes with their titles.
func FormatMermaidClusters(clusters ...Cluster) string {
	var b strings.Builder
	b.WriteString(mermaidHead)
	id := 0
	for i, c := range clusters {
		fmt.Fprintf(&b, "  subgraph cluster%d[\"%s\"]\n", i, mermaidEscape(c.Title))
		id = mermaid(&b, c.Root, id, "    ")
		b.WriteString("  end\n")
	}
	return b.String()
}

const mermaidHead = "flowchart TD\n"

// mermaid is dot for a flow chart.
func mermaid(b *strings.Builder, n Node, id int, indent string) int {
	return diagram(n, id, func(id int, n Node) {
		fields := labelFields(n)
		for i := range fields {
			fields[i] = mermaidEscape(fields[i])
		}
		fmt.Fprintf(b, "%sn%d[\"%s<br/>%s\"]\n", indent, id, mermaidEscape(title(n)), strings.Join(fields, "<br/>"))
	}, func(from, to, input, inputs int) {
		if inputs == 1 {
			fmt.Fprintf(b, "%sn%d --> n%d\n", indent, from, to)
		} else {
			fmt.Fprintf(b, "%sn%d -->|%d| n%d\n", indent, from, input, to)
		}
	})
}

// diagram calls node for every distinct node in the order of writing, numbered
// from first, and then edge for every edge. It returns the next number.
func diagram(root Node, first int, node func(id int, n Node), edge func(from, to, input, inputs int)) int {
	order, _ := writtenOrder(root)
	ids := make(map[Node]int, len(order))
	for i, n := range order {
		ids[n] = first + i
		node(first+i, n)
	}
	for i, n := range order {
		for k := range n.NumInputs() {
			edge(first+i, ids[n.Input(k)], k, n.NumInputs())
		}
	}
	return first + len(order)
}

// dotEscape escapes text inside a quoted DOT label.
func dotEscape(s string) string { return dotEscapes.Replace(s) }

var dotEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", "")

// mermaidEscape writes as entities what means something in a quoted Mermaid
// label, or to the HTML that it becomes.
func mermaidEscape(s string) string { return mermaidEscapes.Replace(s) }

var mermaidEscapes = strings.NewReplacer(
	"#", "#35;", "&", "#amp;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "`", "#96;", `\`, "#92;", "\n", " ", "\r", "",
)
