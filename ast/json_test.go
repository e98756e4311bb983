package ast_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
)

// TestJSON reads the trees and the errors in testdata/json.
func TestJSON(t *testing.T) {
	datadriven.Walk(t, "testdata/json", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			n, err := ast.ParseJSON([]byte(d.Input))
			if err != nil {
				var f *ast.FileError
				if !errors.As(err, &f) || f.Line < 1 || f.Column < 1 {
					t.Errorf("%s: %v is a %T", d.Pos, err, err)
				}
				return err.Error() + "\n"
			}
			checkRoundTrip(t, n)
			return ast.FormatExpr(n) + "\n"
		})
	})
}

// checkRoundTrip writes n in every exact form and reads it back.
func checkRoundTrip(t interface {
	Helper()
	Fatalf(string, ...any)
}, n ast.Node) {
	t.Helper()
	for _, form := range []struct {
		name string
		opts []ast.WriteOption
	}{{"readable", nil}, {"compact", []ast.WriteOption{ast.Compact()}}} {
		data, err := ast.MarshalTree(n, form.opts...)
		if err != nil {
			t.Fatalf("%s: %v", form.name, err)
		}
		back, err := ast.ParseJSON(data, ast.CustomDecoder(asttest.Decode))
		if err != nil {
			t.Fatalf("%s: %v in\n%s", form.name, err, data)
		}
		checkSame(t, n, back)
		again, err := ast.MarshalTree(back, form.opts...)
		if err != nil || !bytes.Equal(data, again) {
			t.Fatalf("%s: written again, %s\nbecame %s", form.name, data, again)
		}
	}
	text := ast.FormatExpr(n)
	back, err := ast.ParseExpr(text, ast.CustomDecoder(asttest.Decode))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	checkSame(t, n, back)
	if again := ast.FormatExpr(back); again != text {
		t.Fatalf("written again,\n%s\nbecame\n%s", text, again)
	}
}

// checkSame compares trees, their fingerprints, what is known about them and
// how many nodes they share.
func checkSame(t interface {
	Helper()
	Fatalf(string, ...any)
}, want, got ast.Node) {
	t.Helper()
	if !ast.Equal(want, got) {
		t.Fatalf("want\n%s\ngot\n%s", ast.FormatExpr(want), ast.FormatExpr(got))
	}
	if ast.FingerprintOf(want) != ast.FingerprintOf(got) {
		t.Fatalf("equal trees of different fingerprint:\n%s", ast.FormatExpr(want))
	}
	if want.Known() != got.Known() || want.Size() != got.Size() || want.NumBands() != got.NumBands() {
		t.Fatalf("equal trees of different shape:\n%s", ast.FormatExpr(want))
	}
	if a, b := len(ast.All[ast.Node](want)), len(ast.All[ast.Node](got)); a != b {
		t.Fatalf("%d distinct nodes became %d:\n%s", a, b, ast.FormatExpr(want))
	}
}

func TestTreesComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkRoundTrip(t, asttest.Tree(asttest.Options{}).Draw(t, "tree"))
	})
}

// sampleTrees are the tree files of the repository.
func sampleTrees(t testing.TB) []string {
	t.Helper()
	var all []string
	for _, g := range []string{"trees/*.json", "oracle/t*.json", "oracle-rich/t*.json"} {
		files, err := filepath.Glob(filepath.Join("..", "testdata", g))
		if err != nil || len(files) == 0 {
			t.Fatalf("no tree files in testdata/%s", g)
		}
		all = append(all, files...)
	}
	return all
}

func TestSampleTreesComeBack(t *testing.T) {
	for _, f := range sampleTrees(t) {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		n, err := ast.ParseJSON(data)
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		checkRoundTrip(t, n)
	}
}

func TestURIs(t *testing.T) {
	for _, c := range []struct{ base, uri, read, written string }{
		{"", "a.tif", "a.tif", "a.tif"},
		{"/data", "a.tif", "/data/a.tif", "a.tif"},
		{"/data/trees", "../a.tif", "/data/a.tif", "../a.tif"},
		{"/data", "/other/a.tif", "/other/a.tif", "../other/a.tif"},
		{"/data", "/vsimem/a.tif", "/vsimem/a.tif", "/vsimem/a.tif"},
		{"/data", "https://example.org/a.tif", "https://example.org/a.tif", "https://example.org/a.tif"},
		{"/data", "NETCDF:a.nc:t", "NETCDF:a.nc:t", "NETCDF:a.nc:t"},
		{"/data", "sub/a:b.tif", "/data/sub/a:b.tif", "sub/a:b.tif"},
		{"https://example.org/trees", "../a.tif", "https://example.org/a.tif", ""},
		{"/vsizip/a.zip", "b/a.tif", "/vsizip/a.zip/b/a.tif", ""},
	} {
		if got := ast.ResolveURI(c.base, c.uri); got != c.read {
			t.Errorf("ResolveURI(%q, %q) = %q, want %q", c.base, c.uri, got, c.read)
		}
		if c.written == "" {
			continue
		}
		n, err := ast.NewLoad(c.read, "")
		if err != nil {
			t.Fatal(err)
		}
		data, err := ast.MarshalTree(n, ast.RelativeTo(c.base))
		if err != nil || !strings.Contains(string(data), fmt.Sprintf("%q", c.written)) {
			t.Errorf("%q relative to %q is written %s, want %q (%v)", c.read, c.base, data, c.written, err)
		}
	}
}

func TestWithoutMeta(t *testing.T) {
	n := parse(t, `(warp scale=0.5 (load a.tif 8x8 uint8 overviews=[4x4]))`)
	data, err := ast.MarshalTree(n, ast.WithoutMeta())
	if err != nil {
		t.Fatal(err)
	}
	back, err := ast.ParseJSON(data)
	if err != nil {
		t.Fatal(err)
	}
	checkSame(t, parse(t, `(warp scale=0.5 (load a.tif))`), back)
}

func TestRefusedWrites(t *testing.T) {
	load, err := ast.NewLoad("a\xff.tif", "")
	if err != nil {
		t.Fatal(err)
	}
	if data, err := ast.MarshalTree(load); err == nil {
		t.Errorf("a uri that is not UTF-8 was written: %s", data)
	}
	wide := parse(t, "(raster 300x200 uint8 ["+strings.Repeat("1 ", 300*200)+"])")
	if _, err := ast.MarshalTree(wide); err == nil || !strings.Contains(err.Error(), "base64") {
		t.Errorf("a raster of 60000 bytes was written inline: %v", err)
	}
	if _, err := ast.MarshalTree(nil); err == nil {
		t.Error("nil was written")
	}
}

// TestWriteIsWhole checks that a failing writer gets one call.
func TestWriteIsWhole(t *testing.T) {
	w := &countingWriter{}
	if err := ast.WriteJSON(w, parse(t, "(pad 1 2 3 4 (load a.tif))")); err == nil || w.calls != 1 {
		t.Errorf("%d writes, error %v", w.calls, err)
	}
}

type countingWriter struct{ calls int }

func (w *countingWriter) Write([]byte) (int, error) { w.calls++; return 0, os.ErrClosed }

func TestReadErrorComesThrough(t *testing.T) {
	if _, err := ast.ReadJSON(failingReader{}); !errors.Is(err, os.ErrClosed) {
		t.Errorf("error %v", err)
	}
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, os.ErrClosed }

func TestCustomNodesGetTheirFields(t *testing.T) {
	const file = `{"version": 1, "tree": {"op": "x-a", "k": [1, {"z": 2}], "inputs": [{"op": "load", "uri": "a.tif"}], "s": "\u0041"}}`
	var got string
	_, err := ast.ParseJSON([]byte(file), ast.CustomDecoder(func(op string, raw json.RawMessage, in []ast.Node) (ast.Node, error) {
		got = fmt.Sprintf("%s %s %d", op, raw, len(in))
		return in[0], nil
	}))
	if want := `x-a {"op":"x-a","k":[1, {"z": 2}],"s":"\u0041"} 1`; err != nil || got != want {
		t.Errorf("decoder got %s, want %s (%v)", got, want, err)
	}
	boom := errors.New("boom")
	_, err = ast.ParseJSON([]byte(file), ast.CustomDecoder(func(string, json.RawMessage, []ast.Node) (ast.Node, error) {
		return nil, boom
	}))
	if !errors.Is(err, boom) || !strings.HasPrefix(err.Error(), "1:24: tree: ") {
		t.Errorf("error %v", err)
	}
}
