package hostile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/gdalio"
)

// FuzzPolicy asks GDAL which files a dataset of text refers to, where the
// policy, which reads the text itself, would let it be opened.
func FuzzPolicy(f *testing.F) {
	if gdalio.Version() == "" {
		f.Skip("no GDAL")
	}
	good, err := os.ReadFile("../../testdata/oracle/src/u8.tif")
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range vrts {
		for _, name := range []string{"../s.tif", "/tmp/../s.tif", "good.tif"} {
			f.Add(strings.ReplaceAll(strings.ReplaceAll(text, "%[1]s", name), "%s", name))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		root, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		data := root + "/data"
		if err := os.Mkdir(data, 0o777); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{root + "/s.tif", data + "/good.tif"} {
			if err := os.WriteFile(name, good, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		path := data + "/x.vrt"
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		plain := struct{ eval.Opener }{gdalio.New(gdalio.WithDrivers("VRT"))} // without Files
		if _, err := eval.Restrict(plain, eval.Policy{Folders: []string{data}}).Describe(bg, path); err != nil {
			return
		}
		files, err := gdalio.Files(bg, path)
		if err != nil {
			return
		}
		for _, name := range files {
			if real, err := filepath.EvalSymlinks(name); err == nil && !strings.HasPrefix(real, data+"/") {
				t.Fatalf("GDAL reads %s, and the policy lets it, of\n%q", name, text)
			}
		}
	})
}
