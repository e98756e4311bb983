// Command features prepares training samples: it takes one picture, a mask, two
// boxes and some points through random trees that turn, scale and cut them
// together, and prints where everything went.
//
//	go run ./examples/features [-n 3] [-o folder] [picture]
package main

import (
	"context"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/rewarp/rewarp"
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval/feature"
)

func main() {
	n := flag.Int("n", 3, "samples to make")
	folder := flag.String("o", "", "folder for the samples as pictures, boxes drawn in; empty writes none")
	flag.Parse()
	uri := "testdata/astro.tif"
	if flag.NArg() > 0 {
		uri = flag.Arg(0)
	}
	if err := run(context.Background(), os.Stdout, uri, *n, *folder); err != nil {
		fmt.Fprintln(os.Stderr, "features:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, uri string, n int, folder string) error {
	session, err := rewarp.Open(ctx)
	if err != nil {
		return err
	}
	defer session.Close()

	// The tree is drawn anew for every sample, and is one for all that is in it.
	random := rand.New(rand.NewPCG(7, 7))
	pipeline, err := feature.NewPipeline(session, func(x ast.Node) (ast.Node, error) {
		angle, scale := (random.Float64()-0.5)*math.Pi/3, 0.4+0.4*random.Float64()
		turned := ast.From(x).Rotate(angle).Scale(scale)
		node, err := turned.Node()
		if err != nil {
			return nil, err
		}
		size := node.Size()
		side := min(192, size.W, size.H)
		at := image.Pt(random.IntN(size.W-side+1), random.IntN(size.H-side+1))
		return turned.Crop(image.Rectangle{Min: at, Max: at.Add(image.Pt(side, side))}).Node()
	}, feature.WithMinVisible(0.3))
	if err != nil {
		return err
	}

	load, err := ast.NewLoad(uri, "")
	if err != nil {
		return err
	}
	for i := range n {
		plan, err := pipeline.Plan(ctx, load)
		if err != nil {
			return err
		}
		sample, names, err := annotations(plan.Source())
		if err != nil {
			return err
		}
		out, report, err := plan.Apply(ctx, sample)
		if err != nil {
			return err
		}
		boxes := out.Boxes[0]
		fmt.Fprintf(w, "sample %d: %v %v, %d of %d points\n", i, out.Image.Size(), out.Image.Space(), out.Points[0].Len(), sample.Points[0].Len())
		for k, name := range feature.Select(report.Boxes[0], names) {
			fmt.Fprintf(w, "  %-6s %.1f\n", name, boxes.At(k))
		}
		for _, d := range report.Boxes[0].Dropped {
			fmt.Fprintf(w, "  %-6s dropped, %.0f %% shows\n", names[d.Index], 100*d.Visible)
		}
		if folder != "" {
			if err := draw(filepath.Join(folder, fmt.Sprintf("sample%d.png", i)), out); err != nil {
				return err
			}
		}
	}
	return nil
}

// annotations are what somebody drew on the portrait, in parts of its canvas.
func annotations(s geom.Size) (feature.Sample, []string, error) {
	w, h := float64(s.W)/512, float64(s.H)/512
	boxes, err := feature.NewBoxes([][4]float64{
		{172 * w, 66 * h, 276 * w, 198 * h},
		{0, 350 * h, 190 * w, 512 * h},
	}, feature.XYXY, s)
	if err != nil {
		return feature.Sample{}, nil, err
	}
	points, err := feature.NewPoints([][2]float64{{196 * w, 114 * h}, {250 * w, 114 * h}, {224 * w, 166 * h}}, s)
	if err != nil {
		return feature.Sample{}, nil, err
	}
	face := make([][]bool, s.H) // the ellipse in the first box
	for y := range face {
		face[y] = make([]bool, s.W)
		for x := range face[y] {
			face[y][x] = math.Hypot((float64(x)/w-224)/52, (float64(y)/h-132)/66) < 1
		}
	}
	mask, err := feature.NewMask(face)
	if err != nil {
		return feature.Sample{}, nil, err
	}
	sample := feature.Sample{
		Masks:  []feature.Mask{mask},
		Boxes:  []feature.Boxes{boxes},
		Points: []feature.Points{points},
	}
	return sample, []string{"face", "patch"}, nil
}

// draw writes the picture, the mask in red over it, with its boxes and points.
func draw(path string, s feature.Sample) (err error) {
	size := s.Image.Size()
	dst := image.NewNRGBA(size.Bounds())
	for y := range size.H {
		for x := range size.W {
			dst.SetNRGBA(x, y, pixel(s.Image.Pix(), s.Masks[0].Pix(), x, y))
		}
	}
	green := color.NRGBA{G: 255, A: 255}
	for _, b := range s.Boxes[0].As(feature.XYXY).Values() {
		r := image.Rect(int(b[0]), int(b[1]), int(b[2]), int(b[3])).Intersect(dst.Bounds())
		for x := r.Min.X; x < r.Max.X; x++ {
			dst.SetNRGBA(x, r.Min.Y, green)
			dst.SetNRGBA(x, r.Max.Y-1, green)
		}
		for y := r.Min.Y; y < r.Max.Y; y++ {
			dst.SetNRGBA(r.Min.X, y, green)
			dst.SetNRGBA(r.Max.X-1, y, green)
		}
	}
	for _, p := range s.Points[0].Values() {
		dst.SetNRGBA(int(p[0]), int(p[1]), green)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if closed := f.Close(); err == nil {
			err = closed
		}
	}()
	return png.Encode(f, dst)
}

func pixel(pix, mask *raster.Buffer, x, y int) color.NRGBA {
	var v [3]uint8
	for b := range v {
		value, _ := pix.At(x, y, min(b, pix.Bands-1))
		v[b] = uint8(min(max(value, 0), 255))
	}
	if label, _ := mask.At(x, y, 0); label != 0 {
		v[0] = 255
	}
	return color.NRGBA{v[0], v[1], v[2], 255}
}
