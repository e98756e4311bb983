package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// A layer says what its packages may import of this module, besides the standard library and other modules.
type layer struct {
	packages string
	imports  []string
}

// layers are looked through from the top; the first that fits a package counts. The arrows go one way:
// ast ← rewrite ← rules, ast ← eval ← gdalio, and all of them ← the root package ← cmd and examples.
var layers = []layer{
	{"ast/...", []string{"ast/...", "internal/hugepage", "internal/spelling"}},
	{"rewrite/rewritetest/...", []string{"ast/...", "rewrite/...", "eval/oracle/..."}},
	{"rewrite/...", []string{"ast/...", "rewrite/..."}},
	{"rules/...", []string{"ast/...", "rewrite/...", "rules/..."}},
	{"script/...", []string{"ast/...", "rewrite/...", "script/...", "internal/spelling"}},
	{"eval/oracle/...", []string{"ast/...", "eval/oracle/..."}},
	{"eval/...", []string{"ast/...", "eval/...", "internal/hugepage", "internal/oserr", "internal/tiff"}},
	{"gdalio/...", []string{"ast/...", "eval/...", "gdalio/...", "internal/inflate", "internal/oserr", "internal/tiff"}},
	{".", []string{"ast/...", "rewrite/...", "rules/...", "eval/...", "gdalio/..."}},
	{"cmd/...", []string{".", "ast/...", "rewrite/...", "rules/...", "eval/...", "gdalio/...", "script/...", "cmd/...", "internal/..."}},
	{"examples/...", []string{".", "ast/...", "rewrite/...", "rules/...", "eval/...", "gdalio/...", "script/..."}},
	{"internal/trust", []string{"ast/...", "rewrite/...", "rules/..."}},
	{"internal/hostile/...", []string{"ast/...", "internal/hostile/..."}},
	{"internal/guardpage", nil},
	{"internal/hugepage", nil},
	{"internal/spelling", nil},
	{"internal/oserr", nil},
	{"internal/inflate", nil},
	{"internal/tiff", []string{"ast/..."}},
	{"internal/rastertest", []string{"ast/..."}},
	{"internal/peertest", nil},
	{"internal/archtest", nil},
}

// A restriction names packages that only a few others may import, tests aside.
type restriction struct {
	packages string
	only     []string
	why      string
}

var restrictions = []restriction{
	{"ast/asttest/...", []string{"ast/asttest/...", "rewrite/rewritetest/...", "cmd/..."},
		"random trees and generated images are for tests"},
	{"rewrite/rewritetest/...", []string{"rewrite/rewritetest/...", "cmd/...", "examples/...", "internal/trust"},
		"the kit that breaks rules is for tests"},
	{"eval/oracle/...", []string{"eval/oracle/...", "rewrite/rewritetest/...", "cmd/...", "examples/...", "."},
		"an oracle that the fast path calls proves nothing about it"},
}

// withoutC are the packages that build with CGO_ENABLED=0 and know nothing of GDAL.
var withoutC = []string{"ast/...", "rewrite/...", "rules/...", "eval/..."}

func TestImportArrows(t *testing.T) {
	pkgs, _ := module(t)
	for _, p := range sorted(pkgs) {
		if len(p.files) == 0 {
			continue
		}
		i := slices.IndexFunc(layers, func(l layer) bool { return matches(p.dir, l.packages) })
		if i < 0 {
			t.Errorf("%s is in no layer: say in layers what it may import", p.name())
			continue
		}
		for _, imported := range p.imports {
			dir, ok := local(imported)
			if !ok {
				continue
			}
			if !matches(dir, layers[i].imports...) {
				t.Errorf("%s imports %s; packages in %s may import only %v of this module", p.name(), imported,
					layers[i].packages, layers[i].imports)
			}
			for _, r := range restrictions {
				if matches(dir, r.packages) && !matches(p.dir, r.only...) {
					t.Errorf("%s imports %s outside of a test: %s", p.name(), imported, r.why)
				}
			}
		}
	}
}

// TestReach follows imports to their end, so that an arrow is not bent around a corner.
func TestReach(t *testing.T) {
	pkgs, _ := module(t)
	for _, never := range []struct {
		from, to []string
	}{
		{withoutC, []string{"gdalio/...", ".", "cmd/...", "examples/..."}},
		{[]string{"gdalio/..."}, []string{"rewrite/...", "rules/...", ".", "cmd/...", "examples/..."}},
		{[]string{"ast/..."}, []string{"rewrite/...", "rules/...", "eval/..."}},
		{[]string{"eval/..."}, []string{"rewrite/...", "rules/..."}},
		{[]string{"eval/oracle/..."}, []string{"eval", "eval/internal/..."}},
		{[]string{"."}, []string{"cmd/...", "examples/..."}},
	} {
		for _, p := range sorted(pkgs) {
			if !matches(p.dir, never.from...) {
				continue
			}
			for dir, way := range reach(pkgs, p.dir) {
				if matches(dir, never.to...) {
					t.Errorf("%s reaches %s, which it must never do: %s", p.name(), dir, strings.Join(way, " → "))
				}
			}
		}
	}
}

// reach returns every package of the module that dir imports, directly or not, with a shortest way there.
func reach(pkgs map[string]*pkg, dir string) map[string][]string {
	ways := map[string][]string{}
	queue := [][]string{{dir}}
	for len(queue) > 0 {
		way := queue[0]
		queue = queue[1:]
		p := pkgs[way[len(way)-1]]
		if p == nil {
			continue
		}
		for _, imported := range p.imports {
			next, ok := local(imported)
			if !ok || ways[next] != nil || next == dir {
				continue
			}
			ways[next] = append(slices.Clone(way), next)
			queue = append(queue, ways[next])
		}
	}
	return ways
}

// TestWithoutC keeps C out of the packages above gdalio, and out of the modules that they depend on. Packages of the
// standard library that use C where it is there have a way without it.
func TestWithoutC(t *testing.T) {
	pkgs, _ := module(t)
	var patterns []string
	for _, p := range sorted(pkgs) {
		if !matches(p.dir, withoutC...) || len(p.files) == 0 {
			continue
		}
		patterns = append(patterns, "./"+p.dir)
		if slices.Contains(append(p.imports, p.testImports...), "C") {
			t.Errorf(`%s has a file that imports "C"; only gdalio may`, p.name())
		}
	}
	if len(patterns) == 0 {
		return
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command to list the dependencies with")
	}
	var stderr bytes.Buffer
	list := exec.Command(goTool, append([]string{"list", "-deps", "-json=ImportPath,Standard,CgoFiles,Error"}, patterns...)...)
	list.Dir = "../.."
	list.Env = append(os.Environ(), "CGO_ENABLED=1")
	list.Stderr = &stderr
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var listed struct {
			ImportPath string
			Standard   bool
			CgoFiles   []string
		}
		if err := decoder.Decode(&listed); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if !listed.Standard && len(listed.CgoFiles) > 0 {
			t.Errorf("%s, which packages in %v depend on, uses cgo in %v", listed.ImportPath, withoutC, listed.CgoFiles)
		}
	}
}
