package main

import (
	"bytes"
	"context"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	var out bytes.Buffer
	folder := t.TempDir()
	if err := run(context.Background(), &out, "../../testdata/astro.tif", 3, folder); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if strings.Count(text, "192×192 rgb") != 3 || strings.Count(text, "face") != 3 || strings.Count(text, "patch") != 3 {
		t.Errorf("3 samples, each with a face and a patch, came out as\n%s", text)
	}
	f, err := os.Open(filepath.Join(folder, "sample2.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); b.Dx() != 192 || b.Dy() != 192 {
		t.Errorf("a sample of %v", b)
	}
}
