package main

import (
	"encoding/base64"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rewarp/rewarp/ast"
)

// explainPage is the page of a tree.
func explainPage(t *testing.T, stdin, name string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "out.html")
	out := mustWith(t, stdin, "explain", "--html", file, name)
	if strings.Count(out, "\n") != 1 {
		t.Errorf("it prints %q, want the summary", out)
	}
	onlyFiles(t, filepath.Dir(file), "out.html")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// outside is whatever could ask for more than the page itself.
var outside = regexp.MustCompile(`(?i)\b(src|href|action|data|poster)\s*=\s*["']?([^"'#> ]*)|url\(|@import|https?:`)

func TestPage(t *testing.T) {
	page := explainPage(t, "", tree("tree3"))
	for _, m := range outside.FindAllStringSubmatch(page, -1) {
		if m[2] != "" && !strings.HasPrefix(m[2], "data:image/png;base64,") || m[1] == "" {
			t.Errorf("the page refers to %q", m[0])
		}
	}
	for i := range 12 {
		if strings.Count(page, fmt.Sprintf(`id="step%d"`, i)) != 1 || strings.Count(page, fmt.Sprintf(`data-step="%d"`, i)) != 1 {
			t.Errorf("step %d is not there once", i)
		}
	}
	for _, s := range []string{"<title>tree3.json: how rewarp rewrites it</title>", "fuse-warps", "domain of 5 corners", "11 firings", "reads x 0 to 109, y 0 to 91<", "of overview 1"} {
		if !strings.Contains(page, s) {
			t.Errorf("the page does not say %q", s)
		}
	}
	if strings.Contains(page, "ZgotmplZ") || strings.Contains(page, " style=") {
		t.Error("the template refused something, or there are styles that the policy forbids")
	}
	image := regexp.MustCompile(`<image href="data:image/png;base64,([^"]*)"`).FindStringSubmatch(page)
	if image == nil {
		t.Fatal("there is no thumbnail")
	}
	picture, err := png.Decode(base64.NewDecoder(base64.StdEncoding, strings.NewReader(image[1])))
	if err != nil || picture.Bounds().Dx() != thumbnailSide {
		t.Errorf("the thumbnail is %v, %v", picture, err)
	}
}

// The policy in the page lets its own style and script in.
func TestPagePolicy(t *testing.T) {
	page := explainPage(t, "", tree("tree1"))
	for _, tag := range []string{"style", "script"} {
		m := regexp.MustCompile(`(?s)<`+tag+`>(.*?)</`+tag+`>`).FindAllStringSubmatch(page, -1)
		if len(m) != 1 {
			t.Fatalf("%d elements %s", len(m), tag)
		}
		if want := strings.ReplaceAll(contentHash(m[0][1]), "+", "&#43;"); !strings.Contains(page, tag+"-src &#39;"+want+"&#39;") {
			t.Errorf("the policy does not let the %s in:\n%s", tag, page[:700])
		}
	}
	if !strings.Contains(page, "default-src &#39;none&#39;") {
		t.Error("the policy lets anything in")
	}
}

// Names from strangers stay text, and a raster that is not there leaves a plain
// rectangle.
func TestPageEscapes(t *testing.T) {
	file := filepath.Join(t.TempDir(), `"><img src=x onerror=alert(0)>.json`)
	if err := os.WriteFile(file, []byte(hostile), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, page := range []string{explainPage(t, "", file), must(t, "dump", "--format", "html", file)} {
		if strings.Contains(page, "<img") || strings.Count(page, "<script") != strings.Count(page, "</script") || strings.Count(page, "<script") > 1 {
			t.Error("a name became an element")
		}
		if regexp.MustCompile(`<[^>"]*("[^"]*"[^>"]*)*\son\w+=`).MatchString(page) {
			t.Error("a name became an attribute")
		}
		if strings.ContainsAny(page, "\x00\x1b") {
			t.Error("there are control characters")
		}
	}
	if page := explainPage(t, "", file); !strings.Contains(page, `class="blank"`) || !strings.Contains(page, "it cannot be read here") {
		t.Error("the raster that is not there is not a plain rectangle")
	}
}

// The page is there whole, or as it was.
func TestPageIsComplete(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "out.html")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	mustFail(t, statusFailed, runWith(t, "{", "explain", "--html", file, "-"))
	if data, err := os.ReadFile(file); err != nil || string(data) != "old" {
		t.Errorf("after a failure it is %q, %v", data, err)
	}
	must(t, "explain", "--html", file, tree("tree1"))
	onlyFiles(t, dir, "out.html")
	mustFail(t, statusFailed, runWith(t, "", "explain", "--html", filepath.Join(dir, "no", "out.html"), tree("tree1")), "create the folder first")
	mustFail(t, statusUsage, runWith(t, "", "explain", "--html", file, "--why-not", "fuse-warps", tree("tree1")), "exclude each other")
}

// Any tree has a page, also one that no rule changes.
func TestPageOfAnyTree(t *testing.T) {
	for _, name := range []string{"tree1", "tree2"} {
		out := must(t, "dump", "--format", "html", "--before", tree(name))
		if !strings.Contains(out, "no rule fired") || strings.Contains(out, "<script") {
			t.Errorf("of %s alone there is\n%.600s", name, out)
		}
	}
	after := must(t, "dump", "--after", "--format", "json", tree("tree1"))
	if page := explainPage(t, after, "-"); !strings.Contains(page, "the tree is canonical") || strings.Contains(page, `id="step1"`) {
		t.Error("a canonical tree has steps")
	}
	shared := explainPage(t, sharing, "-")
	if !strings.Contains(shared, "footprint of") {
		t.Error("there are no footprints")
	}
}

// What is read is what the estimate of the cost counts.
func TestFigureReads(t *testing.T) {
	n := parse(t, must(t, "dump", "--after", "--format", "json", tree("tree3")))
	leaf := ast.All[*ast.Load](n)[0]
	reads := readsOf(n, leaf)
	if len(reads) != 1 || reads[0].level != 0 || reads[0].window.Max.X != 109 || reads[0].window.Max.Y != 91 {
		t.Errorf("it reads %v", reads)
	}
	regions := regionsOf(n, leaf)
	if len(regions) != 2 || len(regions[0].at) != 5 || regions[0].label != "warp 64×32, the output in its domain" {
		t.Errorf("its regions are %+v", regions)
	}
}
