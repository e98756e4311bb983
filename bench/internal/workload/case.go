// Package workload says what the benchmark against other libraries runs: the cases, and the images they run on.
package workload

import (
	"fmt"
	"slices"

	"github.com/rewarp/rewarp/ast/geom"
)

// The kinds of case. A peer tells by the kind whether it can do a case.
const (
	Affine      = "affine"      // one image in memory, warped by an affine map
	Scale       = "scale"       // a window of an image in memory, resized
	Perspective = "perspective" // one image in memory, warped by a projective map
	Satellite   = "satellite"   // integers with nodata in memory, dequantized and warped
	Window      = "window"      // windows of a file
	Overview    = "overview"    // a whole file at half its size, through its first overview
	Thumbnail   = "thumbnail"   // a whole file at 256 pixels
	Concat      = "concat"      // one-band files, each warped to one canvas
	Tree        = "tree"        // one of the three trees, from its file
	Engine      = "engine"      // rewriting alone, no pixels
	Curve       = "curve"       // rewriting a tree of many nodes
	Throughput  = "throughput"  // rewriting on several cores
	Session     = "session"     // setting up in, around, or for each run
	Wrap        = "wrap"        // attaching metadata to results
)

// Case is one thing to measure. It travels to the peers as JSON.
type Case struct {
	ID    string `json:"id"`
	Group string `json:"group"` // the letter of the workload, or what is measured besides
	Kind  string `json:"kind"`

	Source   *Source          `json:"source,omitempty"` // the image in memory
	Files    []string         `json:"files,omitempty"`
	Crop     []int            `json:"crop,omitempty"`     // x0 y0 x1 y1 of the source, for Scale
	Windows  [][]int          `json:"windows,omitempty"`  // x0 y0 x1 y1 of the file, each in its turn
	Maps     []geom.Transform `json:"maps,omitempty"`     // forward, one a source or file, pixel corners whole
	Size     [2]int           `json:"size"`               // of the output, width and height
	Interp   string           `json:"interp,omitempty"`   // nearest, linear, cubic, area
	Reduce   bool             `json:"reduce,omitempty"`   // the kernel is stretched where the map shrinks
	Reopen   bool             `json:"reopen,omitempty"`   // every round begins with closed files
	Multiply float64          `json:"multiply,omitempty"` // for Satellite: value = stored × Multiply + Add
	Add      float64          `json:"add,omitempty"`
	Tree     string           `json:"tree,omitempty"` // the tree file
	What     string           `json:"what,omitempty"` // which part is measured, for Engine, Tree and Session
	Nodes    int              `json:"nodes,omitempty"`

	Moved int64   `json:"moved,omitempty"` // bytes that have to be read and written, at the least
	Range float64 `json:"range,omitempty"` // what differences are relative to
	Truth string  `json:"truth,omitempty"` // what outputs are compared with
	Ours  bool    `json:"ours,omitempty"`  // no peer has it
}

// What outputs are compared with.
const (
	Oracle     = "oracle"     // the reference evaluator
	Geometric  = "geometric"  // rewarp, reading full resolution, unrounded
	Resolution = "resolution" // rewarp, reading overviews, unrounded
)

// Source is an image in a raw file, rows of pixels of bands.
type Source struct {
	Path   string   `json:"path"`
	Type   string   `json:"type"`
	W      int      `json:"w"`
	H      int      `json:"h"`
	Bands  int      `json:"bands"`
	NoData *float64 `json:"nodata,omitempty"`
}

// Probe is the window of the output that is compared: up to 128 pixels square, in the middle.
func (c *Case) Probe() [4]int {
	const side = 128
	w, h := min(side, c.Size[0]), min(side, c.Size[1])
	x, y := (c.Size[0]-w)/2, (c.Size[1]-h)/2
	return [4]int{x, y, x + w, y + h}
}

// Settings choose and scale the cases.
type Settings struct {
	Quick bool
	Dir   string // where inputs lie
	Trees string // the folder of the three trees
}

// Cases is every case, in the order of the workloads.
func Cases(s Settings) []Case {
	side := 2048
	if s.Quick {
		side = 1024
	}
	all := slices.Concat(s.trees(), s.windows(), s.reductions(side), s.enlargements(side), s.rotations(side),
		s.satellite(side), s.perspective(side), s.concat(side), s.engine(), s.session())
	return all
}

func (s Settings) trees() (all []Case) {
	for i, size := range [][2]int{{128, 128}, {128, 128}, {64, 32}} {
		for _, what := range []string{"cold", "repeated"} {
			name := fmt.Sprintf("tree%d", i+1)
			all = append(all, Case{
				ID: fmt.Sprintf("a/%s/%s", name, what), Group: "a", Kind: Tree, Tree: s.Trees + "/" + name + ".json",
				What: what, Size: size, Truth: Resolution, Range: []float64{255, 1, 1}[i],
			})
		}
	}
	return all
}

func (s Settings) windows() (all []Case) {
	for _, file := range []string{"deflate", "plain"} {
		for _, side := range []int{256, s.large() / 4} {
			for _, reopen := range []bool{true, false} {
				how := "next"
				if reopen {
					how = "open"
				}
				all = append(all, Case{
					ID: fmt.Sprintf("b/%s/%d/%s", file, side, how), Group: "b", Kind: Window,
					Files: []string{s.largeFile(file)}, Windows: windowsOf(s.large(), side), Size: [2]int{side, side},
					Reopen: reopen, Moved: 2 * int64(side) * int64(side) * 3, Range: 255, Truth: Geometric,
				})
			}
		}
	}
	return all
}

// windowsOf is up to 512 windows all over a square, none on the bounds of blocks, in an order without a pattern.
func windowsOf(canvas, side int) [][]int {
	var all [][]int
	state := uint32(1)
	next := func(n int) int {
		state = state*1664525 + 1013904223
		return int(state>>8) % n
	}
	for range 512 {
		x, y := next(canvas-side+1), next(canvas-side+1)
		all = append(all, []int{x, y, x + side, y + side})
	}
	return all
}

func (s Settings) reductions(side int) (all []Case) {
	in, out := 2*side, int(float64(2*side)*0.37+0.5)
	src := s.image("uint8", in, 3)
	for _, interp := range []string{"linear", "cubic", "area"} {
		all = append(all, Case{
			ID: "c/0.37/" + interp, Group: "c", Kind: Scale, Source: src, Crop: []int{0, 0, in, in}, Size: [2]int{out, out},
			Interp: interp, Reduce: true, Moved: int64(in)*int64(in)*3 + int64(out)*int64(out)*3, Range: 255, Truth: Oracle,
		})
	}
	n := s.large()
	all = append(all, Case{
		ID: "c/overview", Group: "c", Kind: Overview, Files: []string{s.largeFile("overviews")}, Size: [2]int{n / 2, n / 2},
		Maps: []geom.Transform{geom.Scale(0.5, 0.5)}, Reopen: true, Moved: int64(n) * int64(n) / 2 * 3, Range: 255, Truth: Resolution,
	})
	for _, file := range []string{"deflate", "overviews"} {
		c := Case{
			ID: "c/thumbnail/" + file, Group: "c", Kind: Thumbnail, Files: []string{s.largeFile(file)}, Size: [2]int{256, 256},
			Maps: []geom.Transform{geom.Scale(256/float64(n), 256/float64(n))}, Interp: "linear", Reduce: true, Reopen: true, Moved: int64(n) * int64(n) * 3, Range: 255, Truth: Geometric,
		}
		if file == "overviews" {
			c.Moved, c.Truth = 2*256*256*3, Resolution
		}
		all = append(all, c)
	}
	return all
}

func (s Settings) enlargements(side int) (all []Case) {
	in := side / 8
	out := in * 6
	for _, kind := range []string{"uint8x3", "float32x3"} {
		for _, interp := range []string{"linear", "cubic"} {
			src := s.imageOf(kind, side)
			all = append(all, Case{
				ID: "d/" + interp + "/" + kind, Group: "d", Kind: Scale, Source: src, Crop: []int{side / 3, side / 3, side/3 + in, side/3 + in},
				Size: [2]int{out, out}, Interp: interp, Range: 255, Truth: Oracle,
				Moved: int64(in*in+out*out) * int64(sampleBytes(src.Type)) * 3,
			})
		}
	}
	return all
}

func (s Settings) rotations(side int) (all []Case) {
	kinds := []string{"uint8x1", "uint8x3", "uint8x4", "uint16x4", "float32x1", "float32x3", "float32x13"}
	if s.Quick {
		kinds = []string{"uint8x1", "uint8x3", "float32x3"}
	}
	for _, interp := range []string{"nearest", "linear", "cubic"} {
		for _, kind := range kinds {
			all = append(all, s.rotation("e/"+interp+"/"+kind, kind, side, 1.2, interp, false))
		}
	}
	return append(all, s.rotation("e/reduce/uint8x3", "uint8x3", side, 0.5, "linear", true))
}

func (s Settings) rotation(id, kind string, side int, scale float64, interp string, reduce bool) Case {
	src := s.imageOf(kind, side)
	c := Case{
		ID: id, Group: "e", Kind: Affine, Source: src, Size: [2]int{side, side}, Maps: []geom.Transform{turn(side, side, scale, 0.5)},
		Interp: interp, Reduce: reduce, Range: 255, Truth: Oracle,
	}
	if kind == "uint16x4" {
		c.Range = 65535
	}
	c.Moved = movedBy(&c)
	return c
}

// turn rotates and scales about the middle of the source, which goes to the middle of the canvas.
func turn(in, out int, scale, theta float64) geom.Transform {
	return geom.Translate(float64(out)/2, float64(out)/2).Mul(geom.Rotate(theta)).Mul(geom.Scale(scale, scale)).
		Mul(geom.Translate(-float64(in)/2, -float64(in)/2))
}

func (s Settings) satellite(side int) []Case {
	c := s.rotation("f/linear/int16x13", "int16x13", side, 1.2, "linear", false)
	noData := -9999.0
	c.Source.NoData = &noData
	c.Group, c.Kind, c.Multiply, c.Add, c.Range = "f", Satellite, 1e-4, -0.1, 1
	in := *c.Source
	c.Moved = sourcePixels(&c)*int64(in.Bands)*2 + int64(side)*int64(side)*int64(in.Bands)*4
	return []Case{c}
}

func (s Settings) perspective(side int) []Case {
	n := float64(side)
	m := geom.Transform{1.15, 0.1, -0.05 * n, 0.05, 1.2, -0.1 * n, 0.12 / n, 0.08 / n, 1}
	c := Case{
		ID: "g/linear/uint8x3", Group: "g", Kind: Perspective, Source: s.image("uint8", side, 3), Size: [2]int{side, side},
		Maps: []geom.Transform{m}, Interp: "linear", Range: 255, Truth: Oracle,
	}
	c.Moved = movedBy(&c)
	return []Case{c}
}

func (s Settings) concat(side int) []Case {
	c := Case{ID: "h/linear/uint16", Group: "h", Kind: Concat, Size: [2]int{side, side}, Interp: "linear", Reopen: true, Range: 65535, Truth: Geometric}
	c.Moved = int64(side) * int64(side) * 2 * 6
	for i, n := range bandSides(side) {
		c.Files = append(c.Files, s.bandFile(side, i))
		c.Maps = append(c.Maps, turn(n, side, 1.1*float64(side)/float64(n), 0.2))
		c.Moved += int64(n) * int64(n) * 2
	}
	return []Case{c}
}

func bandSides(side int) []int { return []int{side, side, side / 2, side / 2, side / 4, side / 4} }

func (s Settings) engine() (all []Case) {
	for i := range 3 {
		for _, what := range []string{"build", "optimize", "again", "same-again"} {
			name := fmt.Sprintf("tree%d", i+1)
			all = append(all, Case{ID: "engine/" + what + "/" + name, Group: "engine", Kind: Engine, Tree: s.Trees + "/" + name + ".json", What: what})
		}
	}
	for _, what := range []string{"wide", "deep"} {
		for _, n := range []int{10, 100, 1000, 10_000, 100_000} {
			all = append(all, Case{ID: fmt.Sprintf("curve/%s/%d", what, n), Group: "curve", Kind: Curve, What: what, Nodes: n, Ours: n > 1000})
		}
	}
	for _, cores := range []int{1, 2} {
		all = append(all, Case{ID: fmt.Sprintf("throughput/%d", cores), Group: "throughput", Kind: Throughput, Nodes: cores, Ours: true})
	}
	return append(all, Case{ID: "wrap/20", Group: "wrap", Kind: Wrap})
}

func (s Settings) session() (all []Case) {
	for _, what := range []string{"pixel", "outside", "lazy", "inside"} {
		all = append(all, Case{ID: "session/" + what, Group: "session", Kind: Session, What: what, Tree: s.Trees + "/tree1.json", Ours: true})
	}
	return all
}
