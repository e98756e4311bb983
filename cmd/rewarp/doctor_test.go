package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rewarp/rewarp"
)

func TestDoctor(t *testing.T) {
	var d diagnosis
	if err := json.Unmarshal([]byte(must(t, "doctor", "--json", filepath.Join(testdata, "astro.tif"))), &d); err != nil {
		t.Fatal(err)
	}
	seen := map[string]finding{}
	for _, f := range d.Findings {
		seen[f.Name] = f
		switch {
		case f.Status == broken:
			t.Errorf("%s is broken: %s", f.Name, f.Found)
		case f.Status != fine && f.Advice == "":
			t.Errorf("%s is %s, and it does not say what to do", f.Name, f.Status)
		}
	}
	for _, name := range []string{"rewarp", "GDAL", "CPU", "threads", "kernels"} {
		if seen[name].Found == "" {
			t.Errorf("nothing is said of %s in %v", name, d.Findings)
		}
	}
	if rewarp.HasGDAL() != (seen["GDAL"].Status == fine) {
		t.Errorf("of GDAL it says %v", seen["GDAL"])
	}
	r := runWith(t, "", "doctor", "none.tif")
	if r.status != statusFailed || !strings.Contains(r.out, "none.tif") || !strings.Contains(r.err, "1 finding broken") {
		t.Errorf("status %d, %s\n%s", r.status, r.err, r.out)
	}
}

// What makes a raster slow to read is said.
func TestDoctorRaster(t *testing.T) {
	if !rewarp.HasGDAL() {
		t.Skip("creation options need GDAL")
	}
	strips := filepath.Join(t.TempDir(), "strips.tif")
	must(t, "eval", "-e", `fill((1500, 1100), dtype="uint8", value=3)`, "-o", strips, "--co", "TILED=NO")
	out := must(t, "doctor", strips)
	for _, want := range []string{"no overviews", "gdaladdo", "as wide as the image", "TILED=YES"} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
}

func TestMan(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man1")
	must(t, "man", dir)
	for _, name := range commandNames((&app{}).root()) {
		data, err := os.ReadFile(filepath.Join(dir, "rewarp-"+name+".1"))
		if name == "help" {
			continue
		}
		if err != nil || !strings.Contains(string(data), ".SH NAME") {
			t.Errorf("no page of %s: %v", name, err)
		}
	}
	mustFail(t, statusFailed, runWith(t, "", "man", filepath.Join(dir, "rewarp.1", "x")), "cannot write to")
}

// Every command that shows or does something has --json.
func TestJSONEverywhere(t *testing.T) {
	for _, c := range (&app{}).root().Commands() {
		if c.Flags().Lookup("json") == nil && c.Name() != "help" && c.Name() != "completion" {
			t.Errorf("%s has no --json", c.Name())
		}
	}
}
