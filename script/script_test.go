package script_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/google/go-cmp/cmp"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/script"
)

// shelf describes astro.tif, as the test image is, and small.tif.
type shelf struct{}

func (shelf) Describe(_ context.Context, uri string) (ast.Meta, error) {
	var m ast.Meta
	switch uri {
	case "astro.tif":
		m.Size = geom.Size{W: 512, H: 512}
		m.Overviews = []geom.Size{{W: 256, H: 256}, {W: 128, H: 128}, {W: 64, H: 64}}
	case "small.tif":
		m.Size = geom.Size{W: 30, H: 20}
	default:
		return m, &fs.PathError{Op: "open", Path: uri, Err: fs.ErrNotExist}
	}
	m.Bands = ast.NumberedBands(3, raster.Uint8)
	for i, name := range []string{"r", "g", "b"} {
		m.Bands[i].Name = name
	}
	return m, nil
}

// TestCases runs the scripts in testdata/cases: "tree" gives a tree, or an
// error, and "unknown" does so without a describer. What the script prints
// stands first.
func TestCases(t *testing.T) {
	datadriven.Walk(t, "testdata/cases", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var out bytes.Buffer
			o := script.Options{Describer: shelf{}, Print: &out}
			if d.Cmd == "unknown" {
				o.Describer = nil
			}
			n, err := script.ReadTree(context.Background(), "x.star", []byte(d.Input), o)
			if err != nil {
				var e *script.Error
				if !errors.As(err, &e) {
					t.Errorf("%T is no *script.Error", err)
				}
				fmt.Fprintf(&out, "%v\n", err)
				return out.String()
			}
			fmt.Fprintf(&out, "%s\n", ast.FormatExpr(n))
			return out.String()
		})
	})
}

// TestExamples runs each script in testdata and compares its tree with the
// expression beside it. With -rewrite it writes them.
func TestExamples(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.star")
	if err != nil || len(paths) == 0 {
		t.Fatal("no examples", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			n, err := script.ReadTree(context.Background(), path, src, script.Options{Describer: shelf{}})
			if err != nil {
				t.Fatal(err)
			}
			got := ast.FormatExpr(n) + "\n"
			golden := strings.TrimSuffix(path, ".star") + ".expr"
			if rewriting() {
				if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("tree differs (-want +got):\n%s", diff)
			}
		})
	}
}

// TestFiles reads scripts from files, whose folder is where uris start.
func TestFiles(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	path := filepath.Join(dir, "a.star")
	src := "rule(\"nothing\", \"exact\", \"*\", lambda n: None)\nload(\"in/a.tif\")\n"
	if err := os.WriteFile(path, []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	n, err := script.ReadTreeFile(ctx, path, script.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := n.(*ast.Load).URI(), filepath.Join(dir, "in", "a.tif"); got != want {
		t.Errorf("uri %s, expected %s", got, want)
	}
	n, err = script.ReadTreeFile(ctx, path, script.Options{Folder: "/elsewhere"})
	if err != nil || n.(*ast.Load).URI() != "/elsewhere/in/a.tif" {
		t.Error(n, err)
	}
	if r, err := script.LoadRulesFile(ctx, path, script.Options{}); err != nil || len(r) != 1 || r[0].Doc() != "rule of "+path+":1" {
		t.Error(r, err)
	}
	for _, err := range []error{
		func() error { _, err := script.ReadTreeFile(ctx, dir, script.Options{}); return err }(),
		func() error { _, err := script.LoadRulesFile(ctx, path+"x", script.Options{}); return err }(),
	} {
		var e *fs.PathError
		if !errors.As(err, &e) {
			t.Errorf("error %v, expected one with a path", err)
		}
	}
}

// TestErrorCalls checks what an error carries.
func TestErrorCalls(t *testing.T) {
	src := "def f(x):\n    return x.get_overview(99)\n\nf(fill((4, 4)))\n"
	_, err := script.ReadTree(context.Background(), "e.star", []byte(src), script.Options{})
	var e *script.Error
	var cause *ast.Error
	if !errors.As(err, &e) || !errors.As(err, &cause) {
		t.Fatalf("error %v has not the two types", err)
	}
	want := []string{"<toplevel> (e.star:4:2)", "f (e.star:2:26)"}
	if diff := cmp.Diff(want, e.Calls); diff != "" || e.Line != 2 || e.Column != 26 || cause.Arg != "level" {
		t.Errorf("error %v, calls (-want +got):\n%s", err, diff)
	}
}
