package eval

import (
	"sync"
	"time"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
)

// Profile records what runs take, step by step, where Stats has one sum for a
// whole plan. It costs a little in every tile of the runs that it is handed to
// with WithProfile, and nothing in others. The zero value is ready, and any
// number of runs may record into it at once.
type Profile struct {
	mu    sync.Mutex
	steps map[any]StepCount // by a plan's *part, *source, *custom or *mapped
}

// WithProfile records into p what the run takes.
func WithProfile(p *Profile) RunOption {
	return func(r *run) { r.profile = p }
}

// StepKind is what a step does.
type StepKind uint8

// The kinds of steps.
const (
	ReadStep     StepKind = iota // a leaf's samples are read, or filled in
	SampleStep                   // samples are computed from those of a step below
	CopyStep                     // samples are moved as they are, or converted to another type
	CustomStep                   // a custom node computes its tiles
	QuantizeStep                 // integers become values, and are rounded
)

// String is for example "read".
func (k StepKind) String() string {
	return [...]string{"read", "sample", "copy", "custom", "dequantize"}[k]
}

// Step is one piece of work that running a plan does tile by tile.
type Step struct {
	Kind StepKind
	// Node is the node of the plan's tree that asks for the work: a leaf, the
	// warp whose sampling it is, a custom node, a dequantize. It is nil for a
	// copy that no node asks for, such as that of a leaf to the output.
	Node ast.Node
	// Fused are the other nodes that the work is done for, the outermost first:
	// a warp that is composed with another one, a dequantize whose scale and
	// offset the kernel applies, a crop that only narrows what is read.
	Fused []ast.Node
	// Planned is what the whole canvas takes if nothing is read or computed
	// twice, and no more than is needed.
	Planned Work
	StepCount
}

// Work is how much there is to do.
type Work struct {
	Samples int64 // to read; or to compute: those that can be valid
	Bytes   int64 // to read from sources, or to write
	Blocks  int64 // of sources, to decode
}

// StepCount is what a step has done, over all runs and threads of a profile.
type StepCount struct {
	Work
	Calls int64 // once a tile, at least
	Hits  int64 // blocks of sources that were found in memory
	// Time is of the step itself, without the steps below, and with what it
	// waits for a block that another thread reads.
	Time time.Duration
}

func (w *Work) add(d Work) {
	w.Samples += d.Samples
	w.Bytes += d.Bytes
	w.Blocks += d.Blocks
}

func (c *StepCount) add(d *StepCount) {
	c.Work.add(d.Work)
	c.Calls += d.Calls
	c.Hits += d.Hits
	c.Time += d.Time
}

// writes is the work of writing samples of a type.
func writes(samples int64, t raster.DataType) Work {
	return Work{Samples: samples, Bytes: samples * int64(t.Size())}
}

// Steps are the steps of a plan, the output's first, with what the profile has
// recorded of them.
func (f *Profile) Steps(p *Plan) []Step {
	f.mu.Lock()
	defer f.mu.Unlock()
	w := stepWalk{counts: f.steps, planned: p.planned(), seen: map[any]bool{}}
	w.view(p.root)
	return w.steps
}

// merge adds what a goroutine has counted.
func (f *Profile) merge(counts map[any]*StepCount) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.steps == nil {
		f.steps = map[any]StepCount{}
	}
	for key, c := range counts {
		sum := f.steps[key]
		sum.add(c)
		f.steps[key] = sum
	}
}

// step is where to count a step, nil without a profile.
func (x *exec) step(key any) *StepCount {
	if x.profile == nil {
		return nil
	}
	c := x.steps[key]
	if c == nil {
		c = &StepCount{}
		x.steps[key] = c
	}
	return c
}

// startProfile makes x ready to count for a profile, which may be nil.
func (x *exec) startProfile(p *Profile) {
	if x.profile = p; p != nil {
		x.steps = map[any]*StepCount{}
	}
}

// endProfile hands over what was counted.
func (x *exec) endProfile() {
	if x.profile != nil {
		x.profile.merge(x.steps)
		x.profile, x.steps = nil, nil
	}
}

// clock is the time, where a profile needs it.
func (x *exec) clock() time.Time {
	if x.profile == nil {
		return time.Time{}
	}
	return time.Now()
}

// wrote counts what a custom node or a dequantize has written since start.
func (x *exec) wrote(key any, buf *raster.Buffer, start time.Time) {
	if c := x.step(key); c != nil {
		c.add(&StepCount{Work: writes(int64(buf.Len()), buf.Type), Calls: 1, Time: time.Since(start)})
	}
}

// readStep counts the reading of a source since the counters were as before.
func (x *exec) readStep(g *source, before counters, took time.Duration) {
	c, n := x.step(g), &x.count
	c.Calls++
	c.Samples += (n.Pixels - before.Pixels) * int64(len(g.bands))
	c.Bytes += n.Bytes - before.Bytes
	c.Blocks += n.Blocks - before.Blocks
	c.Hits += n.Hits - before.Hits
	c.Time += took
}
