package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/rewarp/rewarp/ast"
)

// boxText is what a diagram says about a node: the operation and its canvas,
// and a few lines of what matters.
func boxText(n ast.Node) (title string, details []string) {
	label := ast.Label(n)
	op, fields, _ := strings.Cut(label, " ")
	title = strings.ToLower(op)
	if n.Kind() == ast.KindCustom {
		title = op
	}
	title = shorten(title, 18)
	if n.Known() {
		title += " " + n.Size().String()
	}
	return title, pack(boxFields(n, fields))
}

func boxFields(n ast.Node, fields string) []string {
	switch n := n.(type) {
	case *ast.Load:
		_, name, _ := strings.Cut(fields, "fname=")
		f := []string{shorten(name, boxRunes)}
		if n.Known() {
			f = append(f, plural(int64(n.NumBands()), "band"), plural(int64(n.NumOverviews()), "overview"))
		}
		return f
	case *ast.Crop:
		r := n.Window()
		f := []string{fmt.Sprintf("x %d to %d", r.Min.X, r.Max.X), fmt.Sprintf("y %d to %d", r.Min.Y, r.Max.Y)}
		if !n.AllBands() {
			f = append(f, plural(int64(n.NumBands()), "band"))
		}
		return f
	case *ast.Dequantize:
		q := n.Quantization()
		f := []string{fmt.Sprintf("%s to %s → %s to %s", short(q.QuantMin), short(q.QuantMax), short(q.OrigMin), short(q.OrigMax)), q.OrigType.String()}
		if q.HasNoData {
			f = append(f, "nodata "+short(q.NoData))
		}
		return f
	case *ast.Overview:
		if n.Stored() {
			return []string{fmt.Sprintf("level %d, stored", n.Level())}
		}
		return []string{fmt.Sprintf("level %d, not stored", n.Level())}
	case *ast.Concat:
		return []string{plural(int64(n.NumInputs()), "input"), plural(int64(n.NumBands()), "band")}
	}
	var f []string
	for _, s := range splitFields(fields) {
		key, value, _ := strings.Cut(s, "=")
		switch key {
		case "dsize":
		case "transform":
			f = append(f, splitFields(strings.Trim(value, "{}"))...)
		case "domain":
			f = append(f, fmt.Sprintf("domain of %d corners", strings.Count(value, "(")))
		default:
			f = append(f, s)
		}
	}
	for i := range f {
		f[i] = strings.Replace(f[i], "=", " ", 1)
	}
	return f
}

func short(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// splitFields splits a label at the commas outside brackets.
func splitFields(s string) []string {
	var out []string
	depth, start := 0, 0
	for i, r := range s {
		switch r {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, s[start:i])
				start = i + 1
			}
		}
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}

// What fits in a box.
const (
	boxRunes = 34
	boxLines = 3
)

// pack sets fields on lines, as many on each as fit.
func pack(fields []string) []string {
	var lines []string
	line := ""
	for i, f := range fields {
		f = shorten(f, boxRunes)
		if i < len(fields)-1 {
			f += ","
		}
		switch {
		case line == "":
			line = f
		case uniseg.StringWidth(line)+1+uniseg.StringWidth(f) <= boxRunes+1:
			line += " " + f
		default:
			lines = append(lines, line)
			line = f
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	if len(lines) > boxLines {
		lines = append(lines[:boxLines-1], shorten(lines[boxLines-1]+" …", boxRunes))
	}
	return lines
}

// shorten is a text of at most n cells.
func shorten(s string, n int) string {
	if uniseg.StringWidth(s) <= n {
		return s
	}
	var b strings.Builder
	cells, state := 0, -1
	for s != "" {
		var cluster string
		var w int
		cluster, s, w, state = uniseg.FirstGraphemeClusterInString(s, state)
		if cells += w; cells > n-1 {
			break
		}
		b.WriteString(cluster)
	}
	return b.String() + "…"
}
