package vrt_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/gdalio/vrt"
)

// seeds are the inputs of a data-driven file.
func seeds(f *testing.F, path string) {
	data, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	for _, block := range strings.Split(string(data), "\n\n") {
		if input, _, ok := strings.Cut(block, "\n----"); ok {
			if _, input, ok = strings.Cut(input, "\n"); ok {
				f.Add(input)
			}
		}
	}
}

// checked holds a reader to giving a tree or an error of one line.
func checked(t *testing.T, n ast.Node, err error) {
	if (n == nil) == (err == nil) {
		t.Fatalf("tree %v, error %v", n, err)
	}
	var u *vrt.UnsupportedError
	if err != nil && !errors.As(err, &u) && strings.Contains(strings.TrimSpace(err.Error()), "\n") && len(err.Error()) < 200 {
		t.Fatalf("error of several lines: %v", err)
	}
	if n != nil && len(ast.FormatExpr(n)) == 0 {
		t.Fatal("a tree without a text")
	}
}

func FuzzRead(f *testing.F) {
	seeds(f, "testdata/read.txt")
	f.Fuzz(func(t *testing.T, text string) {
		n, _, err := vrt.Read(bg, strings.NewReader(text), vrt.ReadOptions{})
		checked(t, n, err)
	})
}

func FuzzReadNesting(f *testing.F) {
	seeds(f, "testdata/nesting.txt")
	files, _ := filepath.Glob("testdata/nesting/*.json")
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		if len(data) < 4096 {
			f.Add(string(data))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, _, err := vrt.ReadNesting(strings.NewReader(text))
		checked(t, n, err)
	})
}

func FuzzParseCommand(f *testing.F) {
	f.Add("gdal_translate -srcwin 5 7 20 30 -b 3 rgb.tif out.tif")
	f.Add("gdal_translate -outsize 50% 0 -r bilinear -scale 0 255 rgb.tif out.tif")
	f.Add("gdalwarp -te 0 0 9 9 -ts 4 4 -wo XSCALE=1 -srcnodata 0 rgb.tif out.tif")
	f.Fuzz(func(t *testing.T, line string) {
		n, _, err := vrt.ParseCommand(bg, strings.Fields(line), oneFile{})
		checked(t, n, err)
	})
}
