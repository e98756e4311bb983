package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/rewarp/rewarp"
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/rewrite"
)

// bench is rewarp bench.
type bench struct {
	rewriteFlags
	app    *app
	count  int
	asJSON bool
}

// timings are medians, in seconds.
type timings struct {
	Count      int     `json:"count"`
	Build      float64 `json:"build_seconds"`
	Prepare    float64 `json:"prepare_seconds"`
	Optimize   float64 `json:"optimize_seconds"`
	Reoptimize float64 `json:"reoptimize_seconds"`
	Plan       float64 `json:"plan_seconds"`
	First      float64 `json:"first_run_seconds"`
	Repeated   float64 `json:"repeated_run_seconds"`
	Firings    int     `json:"firings"`
	Pixels     int64   `json:"pixels"`
}

func (a *app) benchCommand() *cobra.Command {
	b := &bench{app: a}
	cmd := a.treeCommand("bench", "Measure how long a tree takes to build, rewrite, plan and run",
		`bench measures, as medians over --count rounds: building the tree from its file, looking up the metadata, rewriting it,
rewriting the result again, planning, the first run of a session that has nothing in memory, and repeated runs. Runs
go tile by tile and write nothing.`,
		func(cmd *cobra.Command, name string) error {
			if b.count < 1 {
				return usagef(cmd, "--count %d: at least 1 is needed", b.count)
			}
			return b.run(cmd.Context(), name)
		})
	b.add(cmd)
	cmd.Flags().IntVar(&b.count, "count", 11, "rounds of each measurement")
	cmd.Flags().BoolVar(&b.asJSON, "json", false, "write JSON")
	return cmd
}

func (b *bench) run(ctx context.Context, name string) error {
	opener := b.opener()
	read, err := b.app.treeSource(ctx, name, opener)
	if err != nil {
		return err
	}
	p, err := b.pipeline(ctx)
	if err != nil {
		return err
	}
	t := timings{Count: b.count}
	var n ast.Node
	if t.Build, err = b.median(func() (err error) { n, err = read(); return err }); err != nil {
		return err
	}
	var prepared ast.Node
	if t.Prepare, err = b.median(func() (err error) { prepared, err = b.app.prepare(ctx, name, n, opener); return err }); err != nil {
		return err
	}
	if err := b.rewriting(&t, p, prepared, read); err != nil {
		return inTree(name, err)
	}
	if err := b.running(ctx, &t, prepared, opener); err != nil {
		return inTree(name, err)
	}
	if b.asJSON {
		return b.app.writeJSON(t)
	}
	return b.app.print(t.text())
}

// treeSource reads TREE once and returns what builds it from memory.
func (a *app) treeSource(ctx context.Context, name string, opener eval.Opener) (func() (ast.Node, error), error) {
	switch {
	case name == expressionName:
		return func() (ast.Node, error) { return a.readTree(ctx, name, opener) }, nil
	case name == "-":
		data, err := a.readInput()
		if err != nil {
			return nil, err
		}
		return func() (ast.Node, error) { return a.parseInput(ctx, data, opener) }, nil
	}
	if _, err := a.readTree(ctx, name, opener); err != nil { // it may be no file, or too large
		return nil, err
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	folder := filepath.Dir(name)
	if isScript(name) {
		return func() (ast.Node, error) { return a.runScript(ctx, name, folder, data, opener) }, nil
	}
	return func() (ast.Node, error) { return rewarp.ParseTree(name, data, ast.BaseFolder(folder)) }, nil
}

// rewriting measures the optimizer. Nodes remember what was found about them,
// so every round has new ones.
func (b *bench) rewriting(t *timings, p *rewrite.Pipeline, prepared ast.Node, read func() (ast.Node, error)) error {
	metas := map[string]ast.Meta{}
	for _, l := range ast.All[*ast.Load](prepared) {
		if m, ok := l.Meta(); ok {
			metas[l.URI()] = m
		}
	}
	var fresh []ast.Node
	for range b.count {
		n, err := read()
		if err == nil {
			n, err = ast.Prepare(context.Background(), n, described(metas))
		}
		if err != nil {
			return err
		}
		fresh = append(fresh, n)
	}
	var res rewrite.Result
	var err error
	i := 0
	if t.Optimize, err = b.median(func() (err error) { res, err = p.Optimize(fresh[i]); i++; return err }); err != nil {
		return err
	}
	t.Firings = int(res.Fired)
	t.Reoptimize, err = b.median(func() error { _, err := p.Optimize(res.Node); return err })
	return err
}

// described knows the metadata of rasters already.
type described map[string]ast.Meta

// Describe returns the metadata of a raster.
func (d described) Describe(_ context.Context, uri string) (ast.Meta, error) {
	m, ok := d[uri]
	if !ok {
		return m, fmt.Errorf("%s is not known", uri)
	}
	return m, nil
}

func (b *bench) running(ctx context.Context, t *timings, n ast.Node, opener eval.Opener) error {
	discard := func(image.Rectangle, *raster.Buffer) error { return nil }
	var first, plan []float64
	for i := range b.count {
		s, err := b.session(ctx, opener)
		if err != nil {
			return err
		}
		var p *eval.Plan
		d, err := timed(func() (err error) { p, err = s.Plan(ctx, n); return err })
		if err == nil {
			plan = append(plan, d)
			d, err = timed(func() error { return p.Stream(ctx, discard) })
			first = append(first, d)
		}
		if err == nil && i == b.count-1 {
			t.Pixels = int64(p.Size().W) * int64(p.Size().H)
			t.Repeated, err = b.median(func() error { return p.Stream(ctx, discard) })
		}
		if cerr := s.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			return err
		}
	}
	t.Plan, t.First = median(plan), median(first)
	return nil
}

func (b *bench) median(f func() error) (float64, error) {
	var all []float64
	for range b.count {
		d, err := timed(f)
		if err != nil {
			return 0, err
		}
		all = append(all, d)
	}
	return median(all), nil
}

func timed(f func() error) (seconds float64, err error) {
	start := time.Now()
	err = f()
	return time.Since(start).Seconds(), err
}

func median(v []float64) float64 {
	slices.Sort(v)
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

func (t timings) text() *bytes.Buffer {
	var out bytes.Buffer
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	line := func(what string, seconds float64, note string) {
		fmt.Fprintf(w, "%s\t%s\t%s\n", what, duration(seconds), note)
	}
	line("build", t.Build, "from the file's text")
	line("prepare", t.Prepare, "metadata of the rasters")
	line("optimize", t.Optimize, plural(int64(t.Firings), "firing"))
	line("re-optimize", t.Reoptimize, "the canonical tree")
	line("plan", t.Plan, "of a new session, with rewriting where it is not remembered")
	rate := ""
	if t.Repeated > 0 {
		rate = fmt.Sprintf("%.3g Mpx/s", float64(t.Pixels)/t.Repeated/1e6)
	}
	line("first run", t.First, "of a new session")
	line("repeated run", t.Repeated, rate)
	w.Flush()
	return &out
}
