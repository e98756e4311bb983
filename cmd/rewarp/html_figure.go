package main

import (
	"bytes"
	"context"
	"fmt"
	"html/template"
	"image"
	"math"
	"strings"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/eval"
)

// leafFigure is a raster with what trees read of it.
type leafFigure struct {
	leaf   ast.Node
	number int
	image  string // a data uri, or none
	w, h   float64
}

// Sizes of a figure.
const (
	figureSide = 240 // of the raster's longer side
	levelGap   = 10
	maxFigures = 8
	maxShapes  = 24
	maxLevels  = 6
)

// figuresOf is a figure for each raster of a tree.
func figuresOf(ctx context.Context, n ast.Node, opener eval.Opener) []*leafFigure {
	var all []*leafFigure
	for _, l := range distinct(n) {
		if k := l.Kind(); k != ast.KindLoad && k != ast.KindRaster || len(all) == maxFigures {
			continue
		}
		known := false
		for _, f := range all {
			known = known || sameLeaf(f.leaf, l)
		}
		if known || !l.Known() {
			continue
		}
		f := &leafFigure{leaf: l, number: len(all)}
		s := l.Size()
		longer := float64(max(s.W, s.H))
		f.w, f.h = max(figureSide*float64(s.W)/longer, 8), max(figureSide*float64(s.H)/longer, 8)
		f.image = thumbnail(ctx, l, opener)
		all = append(all, f)
	}
	return all
}

func sameLeaf(a, b ast.Node) bool {
	x, ok := a.(*ast.Load)
	y, ok2 := b.(*ast.Load)
	if ok && ok2 {
		return x.URI() == y.URI() && x.Size() == y.Size()
	}
	return a == b
}

// thumbnails are the images, once for all figures.
func thumbnails(figures []*leafFigure) template.HTML {
	var b strings.Builder
	b.WriteString(`<svg class="defs" aria-hidden="true"><defs>`)
	for _, f := range figures {
		fmt.Fprintf(&b, `<symbol id="thumb%d" viewBox="0 0 1 1" preserveAspectRatio="none">`, f.number)
		if f.image != "" {
			fmt.Fprintf(&b, `<image href="%s" width="1" height="1" preserveAspectRatio="none"/>`, f.image)
		} else {
			b.WriteString(`<rect class="blank" width="1" height="1"/>`)
		}
		b.WriteString(`</symbol>`)
	}
	b.WriteString("</defs></svg>")
	return template.HTML(b.String())
}

// region is a part of a raster.
type region struct {
	class, label string
	at           geom.Polygon // in the raster's pixels, of its full resolution
}

// stored is a window of a level that a tree reads.
type stored struct {
	level  int
	window image.Rectangle
}

// regionsOf are the footprints of the root, of crops and of domains.
func regionsOf(root, leaf ast.Node) []region {
	var all []region
	for _, n := range distinct(root) {
		class := ""
		switch t := n.(type) {
		case *ast.Crop:
			class = "crop"
		case *ast.Warp:
			if t.Domain() != nil {
				class = "domain"
			}
		}
		suffix := map[string]string{"domain": ", its domain"}[class]
		if n == root {
			suffix = ", the output" + strings.Replace(suffix, ", its", " in its", 1)
			class = "output"
		}
		if class == "" || !n.Known() {
			continue
		}
		maps, _ := ast.Leaves(n)
		for _, m := range maps {
			if len(all) == maxShapes {
				return all
			}
			if !sameLeaf(m.Leaf, leaf) {
				continue
			}
			if p := footprint(n.Size(), &m); p != nil {
				label, _, _ := strings.Cut(ast.Label(n), " ")
				all = append(all, region{class, strings.ToLower(label) + " " + n.Size().String() + suffix, p})
			}
		}
	}
	return all
}

// footprint is what a canvas shows of a leaf.
func footprint(canvas geom.Size, m *ast.LeafMap) geom.Polygon {
	inv, ok := m.Transform.Inverse()
	if !ok {
		return nil
	}
	p := canvas.Polygon().ClipDomain(m.Domain).Map(inv)
	for _, v := range p {
		if math.IsNaN(v[0]+v[1]) || math.IsInf(v[0]+v[1], 0) {
			return nil
		}
	}
	for _, e := range m.Leaf.Size().Edges() {
		p = p.Clip(e)
	}
	if len(p) < 3 {
		return nil
	}
	return p
}

// readsOf are the windows that a tree reads of a leaf, as rewrite.CostOf sees
// them.
func readsOf(root, leaf ast.Node) []stored {
	var all []stored
	borne := map[ast.Node]bool{}
	for _, n := range distinct(root) {
		if borne[n] {
			continue
		}
		source := n
		window := n.Size().Bounds()
		if c, ok := n.(*ast.Crop); ok {
			source, window = c.Input(0), c.Window()
		}
		level := 0
		if o, ok := source.(*ast.Overview); ok && o.Stored() {
			borne[source] = true
			source, level = o.Input(0), o.Level()
		}
		if k := source.Kind(); k != ast.KindLoad && k != ast.KindRaster || !sameLeaf(source, leaf) {
			continue
		}
		borne[source] = true
		all = append(all, stored{level, window})
	}
	return all
}

// drawFigures is a figure for each raster, with what a tree reads of it.
func drawFigures(figures []*leafFigure, root ast.Node) []template.HTML {
	var all []template.HTML
	for _, f := range figures {
		all = append(all, f.draw(root))
	}
	return all
}

func (f *leafFigure) draw(root ast.Node) template.HTML {
	var b bytes.Buffer
	regions, reads := regionsOf(root, f.leaf), readsOf(root, f.leaf)
	sizes := f.levels()
	full := f.leaf.Size()
	width := f.w
	if len(sizes) > 1 {
		width += levelGap + max(f.w*float64(sizes[1].W)/float64(full.W), 4)
	}
	fmt.Fprintf(&b, `<figure><svg class="map" viewBox="-2 -2 %s %s" width="%s" height="%s" role="img" aria-label="what is read of %s">`,
		num(width+4), num(f.h+4), num(width+4), num(f.h+4), escape(f.name()))
	x, y := 0.0, 0.0
	for level, s := range sizes {
		w, h := f.w*float64(s.W)/float64(full.W), f.h*float64(s.H)/float64(full.H)
		f.drawLevel(&b, level, s, x, y, w, h, reads)
		if level == 0 {
			f.drawRegions(&b, regions)
			x = f.w + levelGap
		} else {
			y += h + levelGap
		}
	}
	b.WriteString("</svg><figcaption>")
	fmt.Fprintf(&b, `<strong>%s</strong> %s`, escape(f.name()), escape(full.String()))
	if f.image == "" {
		b.WriteString(`, not shown: it cannot be read here`)
	}
	b.WriteString("<ul>")
	if len(reads) == 0 {
		b.WriteString(`<li>nothing is read</li>`)
	}
	for i, r := range reads {
		if i == maxShapes {
			fmt.Fprintf(&b, "<li>and %s more</li>", count(float64(len(reads)-i)))
			break
		}
		fmt.Fprintf(&b, `<li><i class="key read"></i>reads x %d to %d, y %d to %d`, r.window.Min.X, r.window.Max.X, r.window.Min.Y, r.window.Max.Y)
		if r.level > 0 {
			fmt.Fprintf(&b, " of overview %d", r.level)
		}
		b.WriteString("</li>")
	}
	times := map[[2]string]int{}
	for _, r := range regions {
		times[[2]string{r.class, r.label}]++
	}
	for _, r := range regions {
		key := [2]string{r.class, r.label}
		if times[key] == 0 {
			continue
		}
		fmt.Fprintf(&b, `<li><i class="key %s"></i>footprint of %s`, r.class, escape(r.label))
		if times[key] > 1 {
			fmt.Fprintf(&b, ", %d times", times[key])
		}
		b.WriteString("</li>")
		times[key] = 0
	}
	b.WriteString("</ul></figcaption></figure>")
	return template.HTML(b.String())
}

// levels are the sizes of the raster and of its overviews.
func (f *leafFigure) levels() []geom.Size {
	sizes := []geom.Size{f.leaf.Size()}
	if l, ok := f.leaf.(*ast.Load); ok {
		for k := 1; k <= min(l.NumOverviews(), maxLevels); k++ {
			s, _ := l.LevelSize(k)
			sizes = append(sizes, s)
		}
	}
	return sizes
}

func (f *leafFigure) name() string {
	if l, ok := f.leaf.(*ast.Load); ok {
		_, name, _ := strings.Cut(ast.Label(l), "fname=")
		return shorten(name, 60)
	}
	return "raster in memory"
}

func (f *leafFigure) drawLevel(b *bytes.Buffer, level int, s geom.Size, x, y, w, h float64, reads []stored) {
	fmt.Fprintf(b, `<g><title>%s</title><use href="#thumb%d" x="%s" y="%s" width="%s" height="%s"/>`,
		map[bool]string{true: "full resolution", false: fmt.Sprintf("overview %d", level)}[level == 0]+", "+s.String(),
		f.number, num(x), num(y), num(w), num(h))
	read := false
	for _, r := range reads {
		read = read || r.level == level
	}
	class := "level"
	if level == 0 {
		class = "level whole"
	}
	if !read {
		class += " unread"
	}
	fmt.Fprintf(b, `<rect class="%s" x="%s" y="%s" width="%s" height="%s"/>`, class, num(x), num(y), num(w), num(h))
	for i, r := range reads {
		if r.level != level || i >= maxShapes {
			continue
		}
		sx, sy := w/float64(s.W), h/float64(s.H)
		fmt.Fprintf(b, `<rect class="read" x="%s" y="%s" width="%s" height="%s"/>`, num(x+float64(r.window.Min.X)*sx), num(y+float64(r.window.Min.Y)*sy),
			num(max(float64(r.window.Dx())*sx, 1)), num(max(float64(r.window.Dy())*sy, 1)))
	}
	b.WriteString("</g>")
}

func (f *leafFigure) drawRegions(b *bytes.Buffer, regions []region) {
	s := f.leaf.Size()
	for i := len(regions) - 1; i >= 0; i-- {
		r := regions[i]
		fmt.Fprintf(b, `<polygon class="%s" points="`, r.class)
		for k, v := range r.at {
			if k > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(num(v[0]*f.w/float64(s.W)) + "," + num(v[1]*f.h/float64(s.H)))
		}
		fmt.Fprintf(b, `"><title>%s</title></polygon>`, escape(r.label))
	}
}
