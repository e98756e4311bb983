// Package ours runs the cases on rewarp, and says what is true of their outputs.
package ours

import (
	"context"
	"fmt"
	"image"

	"github.com/rewarp/rewarp"
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/bench/internal/workload"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/eval/oracle"
)

// treeOf is the case as a tree. Where it has an image in memory, src is that.
func treeOf(c *workload.Case, src *raster.Buffer) (ast.Node, error) {
	size := geom.Size{W: c.Size[0], H: c.Size[1]}
	s, err := sampling(c)
	if err != nil {
		return nil, err
	}
	switch c.Kind {
	case workload.Affine, workload.Perspective, workload.Satellite, workload.Scale:
		return inMemory(c, src, size, s)
	case workload.Window:
		return ast.NewLoad(c.Files[0], "")
	case workload.Overview, workload.Thumbnail:
		return ast.FromURI(c.Files[0], "").Sampling(s).WarpTo(c.Maps[0], size).Node()
	case workload.Concat:
		var parts []ast.Node
		for i, f := range c.Files {
			n, err := ast.FromURI(f, "").Sampling(s).WarpTo(c.Maps[i], size).Node()
			if err != nil {
				return nil, err
			}
			parts = append(parts, n)
		}
		return ast.NewConcat(parts...)
	case workload.Tree:
		return rewarp.ReadTree(c.Tree)
	}
	return nil, fmt.Errorf("no tree for a %s", c.Kind)
}

func sampling(c *workload.Case) (ast.Sampling, error) {
	if c.Interp == "" {
		return ast.Sampling{Interp: ast.Linear, Antialias: true}, nil
	}
	i, err := ast.ParseInterpolation(c.Interp)
	return ast.Sampling{Interp: i, Antialias: c.Reduce}, err
}

func inMemory(c *workload.Case, src *raster.Buffer, size geom.Size, s ast.Sampling) (ast.Node, error) {
	bands := ast.NumberedBands(src.Bands, src.Type)
	if c.Source.NoData != nil {
		for i := range bands {
			bands[i].NoData, bands[i].HasNoData = *c.Source.NoData, true
		}
	}
	leaf, err := ast.NewRaster(src, bands)
	if err != nil {
		return nil, err
	}
	b := ast.From(leaf)
	switch c.Kind {
	case workload.Satellite:
		b = b.Dequantize(ast.Quantization{
			OrigType: raster.Float32, QuantMin: 0, QuantMax: 1, OrigMin: c.Add, OrigMax: c.Add + c.Multiply,
			NoData: *c.Source.NoData, HasNoData: true,
		})
	case workload.Scale:
		w := image.Rect(c.Crop[0], c.Crop[1], c.Crop[2], c.Crop[3])
		b = b.Crop(w).Sampling(s).
			WarpTo(geom.Scale(float64(size.W)/float64(w.Dx()), float64(size.H)/float64(w.Dy())), size)
		return b.Node()
	}
	return b.Sampling(s).WarpTo(c.Maps[0], size).Node()
}

// Truth is what the probe of a case's output is, unrounded.
func Truth(ctx context.Context, c *workload.Case) (*raster.Buffer, error) {
	var src *raster.Buffer
	if c.Source != nil {
		var err error
		if src, err = c.Source.Read(); err != nil {
			return nil, err
		}
	}
	n, err := treeOf(c, src)
	if err != nil {
		return nil, err
	}
	at := c.Probe()
	window := image.Rect(at[0], at[1], at[2], at[3])
	if c.Kind == workload.Window {
		window = image.Rect(c.Windows[0][0], c.Windows[0][1], c.Windows[0][2], c.Windows[0][3]).Intersect(window.Add(image.Pt(c.Windows[0][0], c.Windows[0][1])))
	}
	if c.Truth == workload.Oracle {
		if n, err = ast.NewCrop(n, window); err != nil {
			return nil, err
		}
		r, err := oracle.Reference(ctx, n, nil, oracle.Options{MaxSamples: 1 << 31})
		if err != nil {
			return nil, err
		}
		return r.Buffer(raster.Float32), nil
	}
	most := ast.Resolution
	if c.Truth == workload.Geometric {
		most = ast.Geometric
	}
	s, err := rewarp.Open(ctx, eval.WithMaxFidelity(most))
	if err != nil {
		return nil, err
	}
	defer s.Close()
	p, err := s.Plan(ctx, n, eval.WithType(raster.Float32))
	if err != nil {
		return nil, err
	}
	var out raster.Buffer
	if err := p.Window(ctx, window, &out); err != nil {
		return nil, err
	}
	return &out, nil
}
