package ast_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
)

// FuzzParseJSON reads anything, and what it takes must come back.
func FuzzParseJSON(f *testing.F) {
	for _, name := range []string{"testdata/json/trees", "testdata/json/errors"} {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, c := range strings.Split(string(data), "\nparse\n")[1:] {
			text, _, _ := strings.Cut(c, "\n----")
			f.Add([]byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := ast.ParseJSON(data, ast.CustomDecoder(asttest.Decode))
		if err != nil {
			checkFileError(t, err)
			return
		}
		checkRoundTrip(t, n)
		ast.FormatText(n)
		ast.FormatDOT(n)
		ast.FormatMermaid(n)
	})
}

// FuzzParseExpr does the same for expressions.
func FuzzParseExpr(f *testing.F) {
	for _, s := range distinct {
		f.Add(s)
	}
	for _, s := range []string{"(concat #1=(load a) #1#)", "(", "#", "(load \"", "(x-gain {\"params\":[1,2]} (load a))"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := ast.ParseExpr(text, ast.CustomDecoder(asttest.Decode))
		if err != nil {
			checkFileError(t, err)
			return
		}
		again := ast.FormatExpr(n)
		back, err := ast.ParseExpr(again, ast.CustomDecoder(asttest.Decode))
		if err != nil {
			t.Fatalf("%v in\n%s", err, again)
		}
		checkSame(t, n, back)
	})
}

func checkFileError(t *testing.T, err error) {
	t.Helper()
	var f *ast.FileError
	if !errors.As(err, &f) || f.Line < 1 || f.Column < 1 || strings.Contains(err.Error(), "\n") {
		t.Fatalf("%q is a %T", err, err)
	}
}
