package ast

import (
	"fmt"
	"strings"
)

// FormatDOT is the tree as a Graphviz graph, an edge from each node to each of
// its inputs.
func FormatDOT(n Node) string {
	var b strings.Builder
	b.WriteString("digraph tree {\n  node [shape=box, fontname=\"monospace\"];\n")
	diagram(n, func(id int, n Node) {
		fmt.Fprintf(&b, "  n%d [label=\"%s\"];\n", id, dotEscape(title(n))+`\n`+dotEscape(strings.Join(labelFields(n), "\n")))
	}, func(from, to, input, inputs int) {
		if inputs == 1 {
			fmt.Fprintf(&b, "  n%d -> n%d;\n", from, to)
		} else {
			fmt.Fprintf(&b, "  n%d -> n%d [label=\"%d\"];\n", from, to, input)
		}
	})
	b.WriteString("}\n")
	return b.String()
}

// FormatMermaid is the tree as a Mermaid flow chart.
func FormatMermaid(n Node) string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	diagram(n, func(id int, n Node) {
		fields := labelFields(n)
		for i := range fields {
			fields[i] = mermaidEscape(fields[i])
		}
		fmt.Fprintf(&b, "  n%d[\"%s<br/>%s\"]\n", id, mermaidEscape(title(n)), strings.Join(fields, "<br/>"))
	}, func(from, to, input, inputs int) {
		if inputs == 1 {
			fmt.Fprintf(&b, "  n%d --> n%d\n", from, to)
		} else {
			fmt.Fprintf(&b, "  n%d -->|%d| n%d\n", from, input, to)
		}
	})
	return b.String()
}

// diagram calls node for every distinct node in the order of writing, and then
// edge for every edge.
func diagram(root Node, node func(id int, n Node), edge func(from, to, input, inputs int)) {
	order, _ := writtenOrder(root)
	ids := make(map[Node]int, len(order))
	for i, n := range order {
		ids[n] = i
		node(i, n)
	}
	for i, n := range order {
		for k := range n.NumInputs() {
			edge(i, ids[n.Input(k)], k, n.NumInputs())
		}
	}
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
