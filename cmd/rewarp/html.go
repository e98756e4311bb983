package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"math"
	"path/filepath"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/rewrite"
)

var (
	//go:embed assets/page.html.tmpl
	pageText string
	//go:embed assets/page.css
	pageStyle string
	//go:embed assets/page.js
	pageScript string

	pageTemplate = template.Must(template.New("page").Parse(pageText))
)

// page is what the page shows. Everything in it that is not template.HTML is
// escaped by the template, and what is was escaped when it was drawn.
type page struct {
	Style   template.CSS
	Script  template.JS
	Policy  string // Content-Security-Policy
	Tree    string
	Summary string
	Bars    []measure

	Before, After               template.HTML
	Written                     template.HTML // before, without marks
	FiguresBefore, FiguresAfter []template.HTML
	Nodes                       [2]string // how many

	Run  string // of explain --analyze
	Rows []nodeRow

	Thumbnails template.HTML
	Steps      []pageStep
	More       int // firings that are not shown
}

// pageStep is the tree after a firing, or as written.
type pageStep struct {
	Number                     int
	Rule, Pass, Fidelity, Path string
	Doc                        string
	Was, Now                   string // the top of what was rewritten
	Costs                      []stepCost
	Tree                       template.HTML
	Figures                    []template.HTML
}

type stepCost struct {
	What, Was, Now string
	Better, Worse  bool
}

// measure is a part of the cost, of the tree at each step.
type measure struct {
	What, Was, Now, Change string
	Bars, Steps            template.HTML
}

// maxDrawn bounds the nodes that all diagrams of a page show.
const maxDrawn = 20_000

// sources open rasters for thumbnails; without, plain rectangles stand for
// them.
type sources struct {
	opener eval.Opener
	draw   bool
}

// newPage is the page of a rewriting. The trees are those after each firing.
func newPage(ctx context.Context, name string, before ast.Node, res rewrite.Result, trees []ast.Node, from sources) *page {
	p := &page{
		Style: template.CSS(pageCSS()), Script: template.JS(pageScript), Tree: filepath.Base(treeName(name)),
		Summary: summary(res, rewrite.CostOf(before), rewrite.CostOf(res.Node)),
	}
	p.Policy = fmt.Sprintf("default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; style-src '%s'; script-src '%s'",
		contentHash(string(p.Style)), contentHash(pageScript))
	fates := compareTrees(before, res.Node).of
	var size [2]int
	p.Before, size[0] = inlineTree(before, fates, "the tree as written")
	p.Written, _ = inlineTree(before, nil, "the tree as written")
	p.After, size[1] = inlineTree(res.Node, fates, "the tree as run")
	p.Nodes = [2]string{plural(int64(size[0]), "node"), plural(int64(size[1]), "node")}
	var leaves []*leafFigure
	if from.draw {
		leaves = figuresOf(ctx, before, from.opener)
		p.Thumbnails = thumbnails(leaves)
		p.FiguresBefore, p.FiguresAfter = drawFigures(leaves, before), drawFigures(leaves, res.Node)
	}
	costs := []rewrite.Cost{rewrite.CostOf(before)}
	shown := trees[:min(len(trees), maxDrawn/min(max(size[0], 1), maxBoxes))]
	p.More = len(trees) - len(shown)
	last := before
	for i, n := range shown {
		costs = append(costs, rewrite.CostOf(n))
		p.Steps = append(p.Steps, newStep(i+1, res.Trace()[i], costs[i], costs[i+1]))
		s := &p.Steps[i]
		s.Tree, _ = inlineTree(n, compareTrees(last, n).of, fmt.Sprintf("the tree after firing %d", i+1))
		s.Figures = drawFigures(leaves, n)
		last = n
	}
	if p.More > 0 || len(shown) == 0 {
		costs = append(costs, rewrite.CostOf(res.Node))
	}
	p.Bars = measures(costs)
	return p
}

// write writes the page.
func (p *page) write(b *bytes.Buffer) error { return pageTemplate.Execute(b, p) }

func pageCSS() string {
	return "\n" + pageStyle + diagramStyle + "@media (prefers-color-scheme: dark) {\n" + diagramDark + "}\n"
}

func contentHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

func newStep(number int, f rewrite.Firing, was, now rewrite.Cost) pageStep {
	s := pageStep{
		Number: number, Rule: f.Rule.Name(), Pass: f.Pass, Fidelity: f.Rule.Fidelity().String(), Path: place(f.Path),
		Doc: f.Rule.Doc(), Was: shape(f.Before), Now: shape(f.After),
	}
	for _, m := range costParts {
		a, b := m.of(was), m.of(now)
		s.Costs = append(s.Costs, stepCost{m.what, m.text(a), m.text(b), b < a, b > a})
	}
	return s
}

// costParts are the parts of a cost as pages show them.
var costParts = []struct {
	what string
	of   func(rewrite.Cost) float64
	text func(float64) string
}{
	{"samples read", func(c rewrite.Cost) float64 { return c.Read }, count},
	{"blocks decoded", func(c rewrite.Cost) float64 { return c.Blocks }, count},
	{"samples resampled", func(c rewrite.Cost) float64 { return c.Resampled }, count},
	{"bytes moved", func(c rewrite.Cost) float64 { return c.Bytes }, byteText},
}

func measures(costs []rewrite.Cost) []measure {
	var all []measure
	for _, m := range costParts {
		was, now := m.of(costs[0]), m.of(costs[len(costs)-1])
		row := measure{What: m.what, Was: m.text(was), Now: m.text(now)}
		switch {
		case was == now:
			row.Change = "as before"
		case now > 0 && was > now:
			row.Change = ratio(was/now) + "× less"
		case was > 0 && now > was:
			row.Change = ratio(now/was) + "× more"
		case now == 0:
			row.Change = "none left"
		}
		row.Bars = barPair(was, now)
		if len(costs) > 2 {
			values := make([]float64, len(costs))
			for i, c := range costs {
				values[i] = m.of(c)
			}
			row.Steps = stepBars(values, m.what)
		}
		all = append(all, row)
	}
	return all
}

// barPair is a bar for before and one for after, to one scale.
func barPair(was, now float64) template.HTML {
	length := func(v float64) string {
		if v == 0 {
			return "0"
		}
		return num(max(100*v/max(was, now), 0.6))
	}
	return template.HTML(fmt.Sprintf(`<svg class="pair" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">`+
		`<rect class="was" width="%s" height="4"/><rect class="now" y="6" width="%s" height="4"/></svg>`, length(was), length(now)))
}

// stepBars is a bar for each step, to a logarithmic scale.
func stepBars(values []float64, what string) template.HTML {
	var b bytes.Buffer
	top := 0.0
	for _, v := range values {
		top = max(top, math.Log1p(v))
	}
	fmt.Fprintf(&b, `<svg class="steps" viewBox="0 0 %d 40" preserveAspectRatio="none" role="img" aria-label="%s at each step, to a logarithmic scale">`,
		10*len(values), escape(what))
	for i, v := range values {
		h := 0.0
		if v > 0 {
			h = max(38*math.Log1p(v)/top, 1)
		}
		fmt.Fprintf(&b, `<rect data-bar="%d" x="%d" y="%s" width="8" height="%s"/>`, i, 10*i+1, num(40-h), num(h))
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

// inlineTree is a diagram inside a page, and how many nodes the tree has.
func inlineTree(n ast.Node, fates map[ast.Node]fate, label string) (svg template.HTML, nodes int) {
	var b bytes.Buffer
	d := layoutTree(n)
	w, h := d.width+4, d.full()+4
	fmt.Fprintf(&b, `<svg class="tree" viewBox="-2 -2 %s %s" width="%s" height="%s" role="img" aria-label="%s">`+"\n", num(w), num(h), num(w), num(h), escape(label))
	d.draw(&b, 0, 0, fates)
	b.WriteString("</svg>")
	return template.HTML(b.String()), len(d.boxes) + d.left
}

// page is dump --format html.
func (d *dump) page(b *bytes.Buffer, name string, before ast.Node, res rewrite.Result) error {
	if d.before != d.after {
		if d.before {
			res = rewrite.Result{}
		} else {
			before = res.Node
		}
	}
	if res.Node == nil {
		res.Node = before
	}
	return newPage(d.command.Context(), name, before, res, nil, sources{}).write(b)
}

// page is explain --html.
func (x *explain) page(ctx context.Context, name string, before ast.Node, res rewrite.Result, found *analysis) error {
	trees, err := replay(before, res)
	if err != nil {
		return inTree(name, err)
	}
	var b bytes.Buffer
	p := newPage(ctx, name, before, res, trees, sources{x.opener(), true})
	if found != nil {
		p.Run, p.Rows = found.Measured.String(), nodeRows(found.Nodes)
	}
	if err := p.write(&b); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return writeFile(x.html, b.Bytes())
}
