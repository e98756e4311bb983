package ours

import (
	"context"
	"fmt"
	"image"
	"runtime"
	"sync"
	"time"

	"github.com/rewarp/rewarp"
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/bench/internal/peer"
	"github.com/rewarp/rewarp/bench/internal/workload"
	"github.com/rewarp/rewarp/eval/feature"
	"github.com/rewarp/rewarp/rewrite"
	"github.com/rewarp/rewarp/rules"
)

// builders are the three trees as code over a load whose metadata is known.
func builder(name string, load ast.Node) (func() (ast.Node, error), error) {
	crop := func(w, h int) image.Rectangle { return image.Rect(0, 0, w, h) }
	q := ast.Quantization{OrigType: raster.Float32, OrigMax: 1, QuantMax: 255}
	switch name {
	case "tree1":
		return func() (ast.Node, error) { return ast.From(load).Scale(0.5).Crop(crop(128, 128)).Node() }, nil
	case "tree2":
		return func() (ast.Node, error) {
			return ast.From(load).Scale(6).Crop(crop(128, 128), 0, 2).Crop(crop(128, 128)).Dequantize(q).Crop(crop(128, 128)).Node()
		}, nil
	case "tree3":
		q.HasNoData = true
		m1 := geom.Affine(1.4857643186215468, 0.09680881848724644, 0.17677001081544957, -0.08699947692541125, 1.653286816420486, 0.07688196466420599)
		m2 := geom.Affine(1.3138868767133114, 0.44936227822453745, -0.9996773581109322, -0.3690853454191851, 1.5996603700931604, -0.34498047580151225)
		m3 := geom.Affine(1.3795774621024373, 0.06232465366939505, 0.08508741374147098, -0.08427237926811078, 1.0202831376350308, -0.11090642058168383)
		return func() (ast.Node, error) {
			return ast.From(load).Overview(1).Scale(0.4).Crop(crop(103, 103)).Pad(0, 0, 921, 921).Dequantize(q).
				Warp(m1).Warp(m2).Warp(m3).Crop(crop(64, 32)).Node()
		}, nil
	}
	return nil, fmt.Errorf("unknown tree %q", name)
}

// astro is the trees' image under a uri, without its file.
func astro(uri string, bands int) (ast.Node, error) {
	return ast.NewLoadMeta(uri, "", ast.Meta{
		Size: geom.Size{W: 512, H: 512}, Bands: ast.NumberedBands(bands, raster.Uint8), Block: geom.Size{W: 256, H: 256},
		Overviews: []geom.Size{{W: 256, H: 256}, {W: 128, H: 128}, {W: 64, H: 64}},
	})
}

func treeName(c *workload.Case) string {
	return c.Tree[len(c.Tree)-len("tree1.json") : len(c.Tree)-len(".json")]
}

// engine measures building, rewriting, and rewriting once more.
func engine(c workload.Case) (*peer.Job, error) {
	over := func() (build func() (ast.Node, error), err error) { // a load of its own
		load, err := astro("astro.tif", 3)
		if err != nil {
			return nil, err
		}
		return builder(treeName(&c), load)
	}
	build, err := over()
	if err != nil {
		return nil, err
	}
	p := rules.Default()
	made, err := build()
	if err != nil {
		return nil, err
	}
	fresh := func() (ast.Node, error) {
		build, err := over()
		if err != nil {
			return nil, err
		}
		return build()
	}
	j := &peer.Job{Work: peer.Same}
	switch c.What {
	case "build":
		j.Timed = func(n int) (time.Duration, error) {
			return timed(func() (err error) {
				for i := 0; i < n && err == nil; i++ {
					made, err = build()
				}
				return err
			})
		}
	case "optimize":
		j.Timed = batches(fresh, p)
	case "again":
		j.Timed = batches(func() (ast.Node, error) {
			n, err := fresh()
			if err != nil {
				return nil, err
			}
			r, err := p.Optimize(n)
			return r.Node, err
		}, p)
	case "same-again":
		r, err := p.Optimize(made)
		if err != nil {
			return nil, err
		}
		j.Timed = func(n int) (time.Duration, error) {
			return timed(func() (err error) {
				for i := 0; i < n && err == nil; i++ {
					_, err = p.Optimize(r.Node)
				}
				return err
			})
		}
	}
	return j, nil
}

// batch is how many trees are made before they are rewritten: so few that they
// are still in the cache, and so many that reading the clock does not count.
const batch = 256

// batches times rewriting trees that are made beforehand.
func batches(make func() (ast.Node, error), p *rewrite.Pipeline) func(n int) (time.Duration, error) {
	return func(n int) (total time.Duration, err error) {
		var trees []ast.Node
		for n > 0 {
			trees = trees[:0]
			for range min(n, batch) {
				t, err := make()
				if err != nil {
					return 0, err
				}
				trees = append(trees, t)
			}
			n -= len(trees)
			d, err := timed(func() error {
				for _, t := range trees {
					if _, err := p.Optimize(t); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return 0, err
			}
			total += d
		}
		return total, nil
	}
}

// Many is a tree of n distinct nodes. Wide is parts of five nodes each, a load of
// its own, scale, crop, dequantize and warp, under a concat; deep is one chain of
// warps and crops.
func Many(shape string, n int) (ast.Node, error) {
	if shape == "wide" {
		var parts []ast.Node
		for i := range max(1, n/5) {
			part, err := astro(fmt.Sprintf("%d.tif", i), 1)
			if err != nil {
				return nil, err
			}
			b := ast.From(part).Scale(0.5).Crop(image.Rect(10, 10, 110, 110)).
				Dequantize(ast.Quantization{OrigType: raster.Float32, OrigMax: 1, QuantMax: 255}).Scale(1.5)
			if part, err = b.Node(); err != nil {
				return nil, err
			}
			parts = append(parts, part)
		}
		return ast.NewConcat(parts...)
	}
	load, err := astro("astro.tif", 3)
	if err != nil {
		return nil, err
	}
	b := ast.From(load)
	for i := range (n - 1) / 2 {
		// To and fro about the middle, so that a long chain stays where it is.
		theta := 0.001
		if i%2 == 1 {
			theta = -theta
		}
		m := geom.Translate(257, 257).Mul(geom.Rotate(theta)).Mul(geom.Translate(-256, -256))
		b = b.WarpTo(m, geom.Size{W: 514, H: 514}).Crop(image.Rect(1, 1, 513, 513))
	}
	return b.Node()
}

func curve(c workload.Case) (*peer.Job, error) {
	p := rules.Default()
	return &peer.Job{Work: peer.Same, Timed: func(n int) (total time.Duration, err error) {
		for range n {
			t, err := Many(c.What, c.Nodes)
			if err != nil {
				return 0, err
			}
			d, err := timed(func() error { _, err := p.Optimize(t); return err })
			if err != nil {
				return 0, err
			}
			total += d
		}
		return total, nil
	}}, nil
}

// throughput rewrites new trees on c.Nodes cores, and counts the time of one
// round as that of one tree on each.
func throughput(c workload.Case) (*peer.Job, error) {
	load, err := astro("astro.tif", 3)
	if err != nil {
		return nil, err
	}
	build, err := builder("tree3", load)
	if err != nil {
		return nil, err
	}
	p := rules.Default()
	return &peer.Job{Work: peer.Same, Timed: func(n int) (time.Duration, error) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(c.Nodes))
		errs := make([]error, c.Nodes)
		return timed(func() error {
			var all sync.WaitGroup
			for i := range errs {
				all.Go(func() {
					for range n {
						t, err := build()
						if err == nil {
							_, err = p.Optimize(t)
						}
						if err != nil {
							errs[i] = err
							return
						}
					}
				})
			}
			all.Wait()
			return errs[0]
		})
	}}, nil
}

// wrap is the 20 wraps of a sample: five results, each an image, a mask, boxes
// and points.
func wrap() (*peer.Job, error) {
	size := geom.Size{W: 64, H: 48}
	img, err := feature.NewImage(raster.New(raster.Uint8, 64, 48, 3))
	if err != nil {
		return nil, err
	}
	mask, err := feature.NewMask(raster.New(raster.Uint8, 64, 48, 1))
	if err != nil {
		return nil, err
	}
	boxes, err := feature.NewBoxes([][4]float64{{1, 2, 3, 4}}, feature.XYXY, size)
	if err != nil {
		return nil, err
	}
	points, err := feature.NewPoints([][2]float64{{1, 2}}, size)
	if err != nil {
		return nil, err
	}
	pix, labels := raster.New(raster.Uint8, 64, 48, 3), raster.New(raster.Uint8, 64, 48, 1)
	boxAt, pointAt := boxes.Values(), points.Values()
	return &peer.Job{Work: peer.Same, Timed: func(n int) (time.Duration, error) {
		return timed(func() error {
			var kept results
			for range n {
				if err := kept.wrap(img, mask, boxes, points, pix, labels, boxAt, pointAt); err != nil {
					return err
				}
			}
			return nil
		})
	}}, nil
}

// results is where wrapped features go, so that no wrap is left out.
type results struct {
	images [5]feature.Image
	masks  [5]feature.Mask
	boxes  [5]feature.Boxes
	points [5]feature.Points
}

//go:noinline
func (r *results) wrap(img feature.Image, mask feature.Mask, boxes feature.Boxes, points feature.Points,
	pix, labels *raster.Buffer, boxAt [][4]float64, pointAt [][2]float64) (err error) {
	for i := range 5 {
		if r.images[i], err = img.WrapLike(pix); err != nil {
			return err
		}
		if r.masks[i], err = mask.WrapLike(labels); err != nil {
			return err
		}
		r.boxes[i] = boxes.WrapLike(boxAt)
		r.points[i] = points.WrapLike(pointAt)
	}
	return nil
}

// Prepared is a tree as the engine sees it, without its file, for a check that
// the code of builder and the tree files are the same.
func Prepared(path string) (file, code ast.Node, err error) {
	load, err := astro("astro.tif", 3)
	if err != nil {
		return nil, nil, err
	}
	c := workload.Case{Tree: path}
	build, err := builder(treeName(&c), load)
	if err != nil {
		return nil, nil, err
	}
	if code, err = build(); err != nil {
		return nil, nil, err
	}
	if file, err = rewarp.ReadTree(path); err != nil {
		return nil, nil, err
	}
	meta, _ := load.(*ast.Load).Meta()
	file, err = ast.Prepare(context.Background(), file, described(meta))
	return file, code, err
}

type described ast.Meta

// Describe returns the metadata whatever the uri.
func (d described) Describe(context.Context, string) (ast.Meta, error) { return ast.Meta(d), nil }
