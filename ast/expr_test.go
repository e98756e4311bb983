package ast_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/rewarp/rewarp/ast"
)

// TestExpr reads the trees and the errors in testdata/expr.
func TestExpr(t *testing.T) {
	datadriven.Walk(t, "testdata/expr", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			n, err := ast.ParseExpr(d.Input)
			if err != nil {
				var f *ast.FileError
				if !errors.As(err, &f) || f.Line < 1 || f.Column < 1 {
					t.Errorf("%s: %v is a %T", d.Pos, err, err)
				}
				return err.Error() + "\n"
			}
			text := ast.FormatExpr(n)
			back, err := ast.ParseExpr(text)
			if err != nil {
				t.Fatalf("%s: %v in\n%s", d.Pos, err, text)
			}
			checkSame(t, n, back)
			return text + "\n"
		})
	})
}

// TestText draws the trees in testdata/text.
func TestText(t *testing.T) {
	datadriven.Walk(t, "testdata/text", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			n := parse(t, d.Input)
			switch d.Cmd {
			case "dot":
				return ast.FormatDOT(n)
			case "mermaid":
				return ast.FormatMermaid(n)
			}
			return ast.FormatText(n)
		})
	})
}

func TestLargeRasterIsNotSpelledOut(t *testing.T) {
	wide := parse(t, "(raster 256x256 uint8 ["+strings.Repeat("1 ", 256*256)+"])")
	n, err := ast.NewConcat(wide, wide)
	if err != nil {
		t.Fatal(err)
	}
	checkExpr(t, n)
}

func checkExpr(t *testing.T, n ast.Node) {
	t.Helper()
	back, err := ast.ParseExpr(ast.FormatExpr(n))
	if err != nil {
		t.Fatal(err)
	}
	checkSame(t, n, back)
}
