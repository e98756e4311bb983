package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/rewarp/rewarp"
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/eval/tune"
)

// tuning is rewarp tune.
type tuning struct {
	rewriteFlags
	app        *app
	threads    int
	rounds     int
	maxError   float64
	cold       bool
	asJSON     bool
	save, load string
}

// tuned is tune --json.
type tuned struct {
	*tune.Table
	Best  string       `json:"best,omitempty"`
	Saved *tune.Choice `json:"saved,omitempty"`
}

func (a *app) tuneCommand() *cobra.Command {
	t := &tuning{app: a}
	cmd := a.treeCommand("tune", "Measure which variant of a session runs a tree best",
		`tune runs a tree with other kernels, threads, tiles, fidelities and caches than a session has by default, measures each
(median and spread, after a warm-up), compares its pixels with the reference evaluator, and names the fastest. What fails or
gives wrong pixels says why, and is never the best. Errors are parts of the range of values.

--save FILE keeps the best for trees of this shape on this processor, among others in FILE. --load FILE measures what is kept
there beside the default, and nothing else.`,
		func(cmd *cobra.Command, name string) error {
			switch {
			case t.threads < 1:
				return usagef(cmd, "--threads %d: at least 1 is needed", t.threads)
			case t.rounds < 1:
				return usagef(cmd, "--rounds %d: at least 1 is needed", t.rounds)
			case !(t.maxError >= 0):
				return usagef(cmd, "--max-error %v: it is not negative", t.maxError)
			case t.save != "" && t.load != "":
				return usagef(cmd, "--save and --load exclude each other")
			}
			return t.run(cmd.Context(), name)
		})
	cmd.Example = `  rewarp tune tree.json
  rewarp tune tree.json --max-error 0.01 --threads 1 --save choices.json
  rewarp tune tree.json --load choices.json`
	t.add(cmd)
	f := cmd.Flags()
	f.IntVar(&t.threads, "threads", runtime.GOMAXPROCS(0), "the most tiles to compute at a time")
	f.IntVar(&t.rounds, "rounds", 9, "the least rounds of each variant")
	f.Float64Var(&t.maxError, "max-error", 0, "the largest `ERROR` that the best may have, such as 0.01 (0: any)")
	f.BoolVar(&t.cold, "cold", false, "read the rasters anew in every round")
	f.BoolVar(&t.asJSON, "json", false, "write JSON")
	f.StringVar(&t.save, "save", "", "keep the best in this `FILE`")
	f.StringVar(&t.load, "load", "", "measure what this `FILE` keeps for the tree")
	return cmd
}

func (t *tuning) run(ctx context.Context, name string) error {
	opener := t.opener()
	tree, err := t.app.loadTree(ctx, name, opener)
	if err != nil {
		return err
	}
	s, err := t.session(ctx, opener, eval.WithThreads(t.threads))
	if err != nil {
		return err
	}
	defer s.Close()
	bar := t.app.progress("tune", "variants")
	opts := []tune.Option{
		tune.WithRounds(t.rounds, 50*time.Millisecond),
		tune.WithProgress(func(done, total int, _ string) { bar.update(int64(done), int64(total)) }),
	}
	if t.cold {
		opts = append(opts, tune.WithCold(), tune.WithVariants(rewarp.GDALVariants(s)...))
	}
	if t.load != "" {
		more, err := t.kept(s, tree)
		if err != nil {
			return err
		}
		opts = append(opts, more...)
	}
	table, err := rewarp.Tune(ctx, s, tree, opts...)
	bar.finish()
	if err != nil {
		return inTree(name, err)
	}
	return t.report(table)
}

// kept are options to measure what --load names.
func (t *tuning) kept(s *eval.Session, tree ast.Node) ([]tune.Option, error) {
	c, err := tune.Load(t.load, tree)
	switch {
	case errors.Is(err, tune.ErrNoChoice):
		return nil, fmt.Errorf("%s keeps nothing for a tree of this shape on this processor: run rewarp tune with --save", t.load)
	case errors.Is(err, fs.ErrNotExist):
		return nil, &hinted{fmt.Errorf("%s: %w", t.load, fs.ErrNotExist), "rewarp tune --save writes one"}
	case err != nil:
		return nil, err
	}
	v := c.Variant
	if c.Extra {
		for _, e := range rewarp.GDALVariants(s) {
			if e.Name == v.Name {
				v = e
			}
		}
	}
	if v.Name == tune.Unchanged {
		return []tune.Option{tune.WithOnly()}, nil
	}
	return []tune.Option{tune.WithOnly(v)}, nil
}

func (t *tuning) report(table *tune.Table) error {
	var bounds []tune.BestOption
	if t.maxError > 0 {
		bounds = append(bounds, tune.WithMaxError(t.maxError))
	}
	best, err := table.Best(bounds...)
	out := tuned{Table: table}
	if err == nil {
		out.Best = best.Name
		if t.save != "" {
			c, err := table.Choice(best.Name)
			if err != nil {
				return err
			}
			if err := tune.Save(t.save, c); err != nil {
				return err
			}
			out.Saved = &c
		}
	}
	if t.asJSON {
		return errors.Join(t.app.writeJSON(out), err)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n\n%s", table.CPU, table)
	if err == nil {
		fmt.Fprintf(&b, "\nbest: %s, %.3g× the session as it is\n", best.Name, best.SpeedUp)
	}
	if out.Saved != nil {
		fmt.Fprintf(&b, "kept in %s for trees of this shape on this processor\n", t.save)
	}
	return errors.Join(t.app.print(&b), err)
}
