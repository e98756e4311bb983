package imagefile_test

import (
	"context"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/eval/imagefile"
	"github.com/rewarp/rewarp/internal/rastertest"
)

var bg = context.Background()

var (
	pattern    = rastertest.Pattern
	invalidate = rastertest.InvalidateLeft
	bandsOf    = rastertest.Bands
)

func save(t testing.TB, path string, c imagefile.Creation, b *raster.Buffer) string {
	t.Helper()
	if c.Bands == nil {
		for i := range b.Bands {
			c.Bands = append(c.Bands, ast.Band{Name: fmt.Sprint(i + 1), Type: b.Type})
		}
	}
	c.Size = geom.Size{W: b.W, H: b.H}
	w, err := imagefile.Create(bg, path, c)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if err := w.WriteWindow(bg, b.Bounds(), b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func saveBytes(t testing.TB, path string, data []byte) string {
	t.Helper()
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t testing.TB, path string, options ...imagefile.Option) eval.Source {
	t.Helper()
	s, err := imagefile.New(options...).Open(bg, path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func read(t testing.TB, s eval.Source, level int, window image.Rectangle, bands ...int) *raster.Buffer {
	t.Helper()
	var b raster.Buffer
	if err := s.ReadWindow(bg, level, window, bands, &b); err != nil {
		t.Fatal(err)
	}
	return &b
}

func whole(t testing.TB, s eval.Source, level int) *raster.Buffer {
	t.Helper()
	m := s.Meta()
	size := m.Size
	if level > 0 {
		size = m.Overviews[level-1]
	}
	var bands []int
	for i := range m.Bands {
		bands = append(bands, i)
	}
	return read(t, s, level, image.Rect(0, 0, size.W, size.H), bands...)
}

func compare(t testing.TB, got, want *raster.Buffer, at image.Point, bands ...int) {
	t.Helper()
	if got.Bands != len(bands) {
		t.Fatalf("%d bands, want %d", got.Bands, len(bands))
	}
	for y := range got.H {
		for x := range got.W {
			for k, b := range bands {
				g, gok := got.At(x, y, k)
				w, wok := want.At(at.X+x, at.Y+y, b)
				if gok != wok || gok && g != w {
					t.Fatalf("sample (%d, %d) band %d: got %v (%v), want %v (%v)", x, y, k, g, gok, w, wok)
				}
			}
		}
	}
}

func names(m ast.Meta) string {
	var s []string
	for _, b := range m.Bands {
		s = append(s, b.Name)
	}
	return strings.Join(s, "|")
}

func wantError(t testing.TB, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", parts)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q does not say %q", err, p)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("error %q is more than one line", err)
	}
}

func onlyFiles(t testing.TB, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if fmt.Sprint(got) != fmt.Sprint(names) {
		t.Errorf("folder holds %q, want %q", got, names)
	}
}

func data(parts ...string) string {
	return filepath.Join(append([]string{"..", "..", "testdata"}, parts...)...)
}
