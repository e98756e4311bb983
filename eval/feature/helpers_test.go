package feature_test

import (
	"context"
	"fmt"
	"image"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/eval/feature"
	"github.com/rewarp/rewarp/rewrite"
	"github.com/rewarp/rewarp/rules"
)

var ctx = context.Background()

// memory opens generated images.
type memory struct{ *asttest.Images }

func (m memory) Open(_ context.Context, uri string) (eval.Source, error) {
	img, ok := m.Image(uri)
	if !ok {
		return nil, fmt.Errorf("no image %q", uri)
	}
	return source{m, uri, img.Meta}, nil
}

type source struct {
	m    memory
	uri  string
	meta ast.Meta
}

func (s source) Close() error { return nil }

func (s source) Meta() ast.Meta {
	m := s.meta
	m.Bands, m.Overviews = slices.Clone(m.Bands), slices.Clone(m.Overviews)
	return m
}

func (s source) ReadWindow(ctx context.Context, level int, w image.Rectangle, bands []int, dst *raster.Buffer) error {
	return s.m.ReadInto(ctx, s.uri, level, w, bands, dst)
}

var pipelines = sync.OnceValue(func() (p [3]*rewrite.Pipeline) {
	for f := range p {
		var err error
		if p[f], err = rules.New(rewrite.MaxFidelity(ast.Fidelity(f))); err != nil {
			panic(err)
		}
	}
	return p
})

// rewriter is the built-in rules as an optimizer.
func rewriter(_ context.Context, n ast.Node, cap ast.Fidelity) (ast.Node, error) {
	r, err := pipelines()[cap].Optimize(n)
	return r.Node, err
}

// open is a session over the generated images that the test closes.
func open(t testing.TB, opts ...eval.Option) *eval.Session {
	t.Helper()
	opts = append([]eval.Option{eval.WithOpener(memory{asttest.Standard()}), eval.WithOptimizer(rewriter)}, opts...)
	s, err := eval.Open(ctx, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// must is v, which no test expects to fail.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// fails checks the text of an error.
func fails(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want one that contains %q", err, want)
	}
}

// steps is a build function from a fluent builder.
func steps(f func(ast.Builder) ast.Builder) func(ast.Node) (ast.Node, error) {
	return func(x ast.Node) (ast.Node, error) { return f(ast.From(x)).Node() }
}

func size(w, h int) geom.Size { return geom.Size{W: w, H: h} }

// ramp is a picture whose samples all differ from their neighbours.
func ramp(w, h, bands int) *raster.Buffer {
	pix := raster.New(raster.Uint8, w, h, bands)
	for i := range pix.Bytes() {
		pix.Bytes()[i] = uint8(i*37 + i/w*11)
	}
	return pix
}

func picture(w, h int) feature.Image { return must(feature.NewImage(ramp(w, h, 3))) }
