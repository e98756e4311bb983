package script_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/script"
)

// FuzzScript runs any text: it gives a tree that can be written, or an *Error
// with a place in the text, and takes no longer than its bounds allow.
func FuzzScript(f *testing.F) {
	paths, _ := filepath.Glob("testdata/*.star")
	for _, path := range paths {
		if src, err := os.ReadFile(path); err == nil {
			f.Add(string(src))
		}
	}
	for _, path := range []string{"testdata/cases/trees", "testdata/cases/errors"} {
		if src, err := os.ReadFile(path); err == nil {
			for _, c := range strings.Split(string(src), "\n\n") {
				text, _, _ := strings.Cut(c, "\n----")
				_, text, _ = strings.Cut(text, "tree\n")
				f.Add(text)
			}
		}
	}
	for _, h := range hostile {
		if len(h.src) < 1000 {
			f.Add(h.src)
		}
	}
	o := script.Options{Describer: shelf{}, Steps: 20000, Memory: 1 << 20}
	f.Fuzz(func(t *testing.T, src string) {
		start := time.Now()
		n, err := script.ReadTree(context.Background(), "f.star", []byte(src), o)
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("took %v", took)
		}
		var e *script.Error
		switch {
		case err == nil:
			ast.FormatExpr(n)
		case !errors.As(err, &e):
			t.Errorf("error %v is no *script.Error", err)
		case e.Line > strings.Count(src, "\n")+strings.Count(src, "\r")+1:
			t.Errorf("error %v is beyond the text", err)
		}
	})
}
