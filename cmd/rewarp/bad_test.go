package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rewarp/rewarp"
)

// badFolder holds an image and what only looks like one.
func badFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	astro, err := os.ReadFile(filepath.Join(testdata, "astro.tif"))
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"astro.tif": astro, "truncated.tif": astro[:60000], "header.tif": astro[:6], "text.tif": []byte("no image\n")} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func load(uri string) string { return fmt.Sprintf(`{"op": "load", "uri": %q}`, uri) }

// TestBadInput gives a table of wrong trees and files to eval: each fails with
// one line that says what is wrong and where, and leaves no file.
func TestBadInput(t *testing.T) {
	dir := badFolder(t)
	astro := load("astro.tif")
	warp := func(args string) string { return `{"op": "warp", ` + args + `, "input": ` + astro + `}` }
	dequantize := func(in string) string {
		return `{"op": "dequantize", "orig_dtype": "float32", "orig_min": 0, "orig_max": 1, "quant_min": 0, "quant_max": 255, "nodata": null, "input": ` + in + `}`
	}
	for _, c := range []struct {
		name, tree string // the tree alone, or a whole file that begins with a !
		want       []string
	}{
		{"missing file", load("nothere.tif"), []string{":2:1: tree: ", "nothere.tif", "o such file", "check the uri"}},
		{"missing below", warp(`"transform": {"scale": 2}`)[:len(warp(`"transform": {"scale": 2}`))-len(astro)-1] + "\n" + load("nothere.tif") + "}", []string{":3:1: tree/input: "}},
		{"folder as image", load("."), []string{"tree: load"}},
		{"not an image", load("text.tif"), []string{"text.tif"}},
		{"header only", load("header.tif"), []string{"header.tif"}},
		{"truncated image", load("truncated.tif"), []string{"truncated.tif"}},
		{"unknown op", `{"op": "cropp", "window": [0, 0, 1, 1], "input": ` + astro + `}`, []string{":2:8: tree/op: ", `"cropp"`, `did you mean "crop"?`}},
		{"window outside", `{"op": "crop", "window": [0, 0, 600, 2], "input": ` + astro + `}`, []string{":2:1: tree: crop window", "512×512"}},
		{"empty window", `{"op": "crop", "window": [4, 0, 4, 2], "input": ` + astro + `}`, []string{"window"}},
		{"missing band", `{"op": "crop", "window": [0, 0, 4, 2], "bands": [3], "input": ` + astro + `}`, []string{"bands"}},
		{"singular matrix", warp(`"transform": {"matrix": [1, 2, 0, 2, 4, 0]}`), []string{"tree: warp", "singular"}},
		{"NaN", warp(`"transform": {"matrix": [NaN, 2, 0, 2, 4, 0]}`), []string{"tree/transform/matrix", `found "NaN"`}},
		{"NaN as text", warp(`"transform": {"matrix": ["NaN", 2, 0, 2, 4, 0]}`), []string{"tree/transform/matrix/0", "expected a number"}},
		{"infinite", warp(`"transform": {"matrix": [1e999, 2, 0, 2, 4, 0]}`), []string{"tree/transform/matrix/0", "1e999"}},
		{"two dequantizes", dequantize(dequantize(astro)), []string{"tree: dequantize", "already"}},
		{"size in the billions", warp(`"transform": {"scale": 2}, "size": [4000000000, 4000000000]`), []string{"tree/size/0", "4000000000", "2147483647"}},
		{"huge canvas", warp(`"transform": {"scale": 4000000}, "size": [2000000000, 2000000000]`), []string{"create", "out."}},
		{"huge scale", warp(`"transform": {"scale": 1e8}`), []string{"warp size is left out"}},
		{"huge pad", `{"op": "pad", "left": 3000000000, "top": 0, "right": 0, "bottom": 0, "input": ` + astro + `}`, []string{"tree/left", "3000000000"}},
		{"huge fill", `{"op": "fill", "size": [2000000000, 2000000000], "bands": 3, "dtype": "uint8", "value": 1}`, []string{"create"}},
		{"cut off", `!{"version": 1, "tree": {"op": "crop", "window": [0, 0, 1`, []string{"tree/window", "the end of the file"}},
		{"empty", `!`, []string{":1:1: found the end of the file"}},
		{"not JSON", `!hello`, []string{":1:1: "}},
		{"other version", `!{"version": 7, "tree": {}}`, []string{"version", "7"}},
		{"cyclic ref", `!{"version": 1, "tree": {"ref": "a"}, "defs": {"a": {"op": "overview", "level": 1, "input": {"ref": "b"}}, "b": {"op": "overview", "level": 1, "input": {"ref": "a"}}}}`, []string{"cycle", "a → b → a"}},
		{"unknown ref", `!{"version": 1, "tree": {"ref": "bse"}, "defs": {"base": ` + astro + `}}`, []string{"bse", "base"}},
		{"concat of two sizes", `{"op": "concat", "inputs": [` + astro + `, {"op": "overview", "level": 1, "input": ` + astro + `}]}`, []string{"512×512", "256×256"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := "{\"version\": 1, \"tree\":\n" + c.tree + "}"
			if whole, ok := strings.CutPrefix(c.tree, "!"); ok {
				text = whole
			}
			path := filepath.Join(dir, "tree.json")
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			out := t.TempDir()
			for _, ext := range []string{".tif", ".png"} {
				r := runWith(t, "", "eval", path, "-o", filepath.Join(out, "out"+ext))
				mustFail(t, statusFailed, r, c.want...)
				onlyFiles(t, out)
			}
			if t.Failed() {
				t.Log(text)
			}
		})
	}
}

// TestBadOutput is about the file that cannot be written.
func TestBadOutput(t *testing.T) {
	dir := t.TempDir()
	full := filepath.Join(dir, "full.tif")
	if err := os.Symlink("/dev/full", full); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		out  string
		want []string
	}{
		{filepath.Join(dir, "nowhere", "out.tif"), []string{"o such file", "create the folder first"}},
		{"/dev/full", []string{"/dev/full is a device"}},
		{full, []string{"is a device"}},
		{dir, []string{"is a folder"}},
		{filepath.Join(dir, "x.unknown"), []string{".unknown", "format"}},
	} {
		for _, how := range []string{"--naive", "--reference", "--max-fidelity=exact"} {
			mustFail(t, statusFailed, runWith(t, "", "eval", tree("tree1"), "-o", c.out, how), c.want...)
		}
	}
	mustFail(t, statusFailed, runWith(t, "", "dump", tree("tree1"), "-o", filepath.Join(dir, "nowhere", "out.json")), "create the folder first")
	mustFail(t, statusFailed, runWith(t, "", "dump", tree("tree1"), "-o", "/dev/full"), "no space left", "make room")
	onlyFiles(t, dir, "full.tif")
}

// What was there stays when the new raster cannot be finished.
func TestOldFileStays(t *testing.T) {
	dir := badFolder(t)
	path, out := filepath.Join(dir, "tree.json"), filepath.Join(t.TempDir(), "out.tif")
	if err := os.WriteFile(path, []byte(`{"version": 1, "tree": `+load("truncated.tif")+`}`), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(out, []byte("precious"), 0o666); err != nil {
		t.Fatal(err)
	}
	mustFail(t, statusFailed, runWith(t, "", "eval", path, "-o", out), "check that the file is complete")
	if data, err := os.ReadFile(out); err != nil || string(data) != "precious" {
		t.Errorf("the old file holds %q now (%v)", data, err)
	}
	onlyFiles(t, filepath.Dir(out), "out.tif")
}

func TestAllow(t *testing.T) {
	dir := badFolder(t)
	other := t.TempDir()
	path := filepath.Join(other, "tree.json")
	if err := os.WriteFile(path, []byte(`{"version": 1, "tree": `+load(filepath.Join(dir, "astro.tif"))+`}`), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"dump", path}, {"explain", path}, {"eval", path, "-o", filepath.Join(other, "x.tif")}, {"bench", path}, {"info", filepath.Join(dir, "astro.tif")}} {
		mustFail(t, statusFailed, runWith(t, "", append(args, "--allow", other)...), "outside the allowed folders")
	}
	must(t, "dump", path, "--allow", other, "--allow", dir)
}

// A format that may refer to other files has to be named.
func TestAllowFormat(t *testing.T) {
	if !rewarp.HasGDAL() {
		t.Skip("no GDAL")
	}
	dir := t.TempDir()
	img := filepath.Join(dir, "x.img")
	must(t, "eval", tree("tree3"), "-o", img, "--driver", "HFA")
	mustFail(t, statusFailed, runWith(t, "", "info", img, "--allow", dir), "x.img", "is of format HFA")
	must(t, "info", img, "--allow", dir, "--allow-format", "HFA")
	must(t, "info", img)
}

func TestPicture(t *testing.T) {
	out := filepath.Join(t.TempDir(), "x.png")
	mustFail(t, statusFailed, runWith(t, "", "eval", tree("tree3"), "-o", out), "no float32 samples", "--stretch auto", "--dtype uint8")
	mustFail(t, statusFailed, runWith(t, "", "eval", tree("tree2"), "-o", out, "--stretch", "0,1"), "1 or 3 bands", "r|b", "--channels")
	mustFail(t, statusFailed, runWith(t, "", "eval", tree("tree2"), "-o", out, "--channels", "x"), "x", "r")
	onlyFiles(t, filepath.Dir(out))
	must(t, "eval", tree("tree2"), "-o", out, "--stretch", "auto", "--channels", "r|b|b")
	must(t, "eval", tree("tree3"), "-o", out, "--dtype", "uint8")
	onlyFiles(t, filepath.Dir(out), "x.png")
}
