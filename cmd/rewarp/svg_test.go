package main

import (
	"encoding/xml"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rewarp/rewarp/ast"
)

// Every node is in a diagram once, below all its parents; boxes and the lines
// past them do not overlap.
func TestLayout(t *testing.T) {
	randomTrees(t, 400, func(n ast.Node) {
		d := layoutTree(n)
		nodes := distinct(n)
		if len(d.boxes)+d.left != len(nodes) {
			t.Fatalf("%d boxes and %d left out of %d nodes", len(d.boxes), d.left, len(nodes))
		}
		inputs := 0
		for i, a := range d.boxes {
			if a.x < -1e-9 || a.y < 0 || a.x+a.w > d.width+1e-9 || a.y+a.h > d.height+1e-9 {
				t.Fatalf("%q at %v, %v is outside the %v × %v of\n%s", a.title, a.x, a.y, d.width, d.height, ast.FormatText(n))
			}
			for _, b := range d.boxes[:i] {
				if a.node == b.node {
					t.Fatalf("%q is there twice", a.title)
				}
				if a.x < b.x+b.w && b.x < a.x+a.w && a.y < b.y+b.h && b.y < a.y+a.h {
					t.Fatalf("%q and %q overlap in\n%s", a.title, b.title, ast.FormatText(n))
				}
			}
			inputs += a.node.NumInputs()
		}
		if len(d.links) != inputs {
			t.Fatalf("%d links for %d inputs", len(d.links), inputs)
		}
		for _, l := range d.links {
			checkLink(t, &d, l)
		}
	})
}

func checkLink(t *testing.T, d *diagram, l link) {
	t.Helper()
	from, to := d.boxes[l.from], d.boxes[l.to]
	if from.y+from.h >= to.y {
		t.Errorf("%q does not stand above its input %q", from.title, to.title)
	}
	first, last := l.points[0], l.points[len(l.points)-1]
	if first != [2]float64{from.x + from.w/2, from.y + from.h} || last != [2]float64{to.x + to.w/2, to.y} {
		t.Errorf("a link goes from %v to %v", first, last)
	}
	for i, p := range l.points[1:] {
		q := l.points[i]
		for k, b := range d.boxes {
			if k == l.from || k == l.to {
				continue
			}
			lo, hi := min(p[0], q[0]), max(p[0], q[0])
			if lo < b.x+b.w && hi > b.x && q[1] < b.y+b.h && p[1] > b.y {
				t.Errorf("the link from %q to %q runs through %q", from.title, to.title, b.title)
			}
		}
	}
}

// A shared node is one box, with a link from each parent.
func TestLayoutShares(t *testing.T) {
	d := layoutTree(parse(t, sharing))
	parents := map[string]int{}
	for _, l := range d.links {
		parents[d.boxes[l.to].title]++
	}
	if len(d.boxes) != 6 || parents["load 64×48"] != 2 || parents["warp 32×24"] != 2 {
		t.Errorf("%d boxes, parents %v", len(d.boxes), parents)
	}
}

// A chain that is longer than can be drawn says so.
func TestLayoutIsBounded(t *testing.T) {
	n := parse(t, sharing)
	for range 2 * maxBoxes {
		n = ast.TrustedPad(n, 1, 0, 0, 0)
	}
	d := layoutTree(n)
	if len(d.boxes) != maxBoxes || d.left != maxBoxes+6 {
		t.Errorf("%d boxes, %d left out", len(d.boxes), d.left)
	}
	if s := drawTree(n); !strings.Contains(s, "406 more nodes below") {
		t.Error("it does not say that nodes are left out")
	}
}

// wellFormed fails unless a text is XML, and returns the names of its elements
// and attributes.
func wellFormed(t *testing.T, text string) []string {
	t.Helper()
	var names []string
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return names
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if e, ok := token.(xml.StartElement); ok {
			names = append(names, e.Name.Local)
			for _, a := range e.Attr {
				names = append(names, a.Name.Local)
			}
		}
	}
}

// hostile is a tree whose names would do harm where they are not escaped.
const hostile = `{"version": 1, "tree": {"op": "crop", "window": [0, 0, 9, 9], "input": {"op": "warp", "transform": {"scale": 0.5}, "input":
	{"op": "load", "uri": "\"><script>alert(1)</script><img src=x onerror=alert(2)>' onload='alert(3)\u0000\u001b[31m", "size": [99, 99], "bands": 2, "dtype": "uint8",
	"channels": "<img src=x onerror=alert(4)>|]]></title></style><svg onload=alert(5)>"}}}}`

func TestSVGEscapes(t *testing.T) {
	for _, args := range [][]string{{"--before"}, {"--after"}, {}} {
		out := mustWith(t, hostile, append([]string{"dump", "--format", "svg", "-"}, args...)...)
		for _, name := range wellFormed(t, out) {
			if slices.Contains([]string{"script", "img", "onerror", "onload"}, name) {
				t.Errorf("%v: there is a %s in\n%s", args, name, out)
			}
		}
		if !strings.Contains(out, "&lt;script&gt;") && !strings.Contains(out, "…") {
			t.Errorf("%v: the name is not shown:\n%s", args, out)
		}
	}
	randomTrees(t, 100, func(n ast.Node) { wellFormed(t, drawTree(n)) })
}

// The pictures of the pages are of the third tree; make docs writes them.
func TestPictures(t *testing.T) {
	for name, args := range map[string][]string{
		"rewrite.svg": {"dump", "--format", "svg", tree("tree3")},
		"film.svg":    {"dump", "--step", "--format", "svg", tree("tree3")},
	} {
		want := must(t, args...)
		got, err := os.ReadFile(filepath.Join("..", "..", "docs", "img", name))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("docs/img/%s is out of date: run make docs", name)
		}
		wellFormed(t, want)
	}
}

// A film has a frame for the tree as written and one for each firing, up to a
// bound; of a canonical tree it is that tree.
func TestFilm(t *testing.T) {
	for _, c := range []struct {
		args   []string
		frames int
		text   string
	}{
		{[]string{tree("tree3")}, 12, "11 of 11: crop-below-dequantize"},
		{[]string{"-e", `fill((8, 8))`}, 1, "as written"},
		{[]string{"-e", "x = load('../../testdata/astro.tif')\nfor i in range(200):\n    x = x.pad(1)\nx"}, maxFrames + 1, "199 of 199: fuse-pads"},
	} {
		film := must(t, append([]string{"dump", "--step", "--format", "svg"}, c.args...)...)
		wellFormed(t, film)
		if n := strings.Count(film, `<g class="frame`); n != c.frames || !strings.Contains(film, c.text) {
			t.Errorf("%v: %d frames, want %d and %q", c.args, n, c.frames, c.text)
		}
		if n := strings.Count(film, `<g class="frame last"`); n != 1 {
			t.Errorf("%v: %d frames are the last", c.args, n)
		}
	}
	for i, want := range []string{"one two", "three", "unbreakable", "x"} {
		if got := folded("one two three  unbreakable x", 8); len(got) != 4 || got[i] != want {
			t.Errorf("folded to %q", got)
		}
	}
}

func TestBoxText(t *testing.T) {
	randomTrees(t, 200, func(n ast.Node) {
		for _, n := range distinct(n) {
			title, details := boxText(n)
			if len(details) > boxLines || title == "" {
				t.Errorf("%s: %q, %q", ast.Label(n), title, details)
			}
			for _, s := range details {
				if w := len([]rune(s)); w > boxRunes+1 {
					t.Errorf("%q takes %d cells", s, w)
				}
			}
		}
	})
	if got := num(-0.001); got != "0" {
		t.Errorf("num is %s", got)
	}
	if got := num(math.Pi); got != "3.14" {
		t.Errorf("num is %s", got)
	}
}
