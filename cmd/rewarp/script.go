package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/rewrite"
	"github.com/rewarp/rewarp/rules"
	"github.com/rewarp/rewarp/script"
)

// expressionName stands for the tree of -e where a tree is named.
const expressionName = "-e"

func isScript(name string) bool { return strings.EqualFold(filepath.Ext(name), ".star") }

// readScript is the source of a script, and no more of it than its runner needs
// to see that it is too large.
func readScript(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if fi, err := f.Stat(); err == nil && fi.IsDir() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("is a folder, not a script")}
	}
	return io.ReadAll(io.LimitReader(f, script.MaxSource+1))
}

// runScript is the tree that a script makes. What it prints goes to standard
// error.
func (a *app) runScript(ctx context.Context, name, folder string, src []byte, opener eval.Opener) (ast.Node, error) {
	n, err := script.ReadTree(ctx, name, src, script.Options{Describer: opener, Folder: folder, Print: a.err})
	if errors.Is(err, fs.ErrNotExist) {
		where := "the current folder"
		if folder != "" {
			where = "the folder of the script"
		}
		return nil, &hinted{err, "check the uri; relative ones start at " + where}
	}
	return n, err
}

// scriptFlags load rules of scripts.
type scriptFlags struct{ rules []string }

func (f *scriptFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.rules, "rules", nil, "load the rules of a script, a `FILE` in Starlark; every firing is verified (repeatable)")
	_ = cmd.MarkFlagFilename("rules", "star")
}

// compile is a pipeline of the rules of the scripts before the built-in ones.
func (f *scriptFlags) compile(ctx context.Context, opts ...rewrite.Option) (*rewrite.Pipeline, error) {
	own, err := f.load(ctx)
	if err != nil {
		return nil, err
	}
	if len(own) == 0 {
		return rules.New(opts...)
	}
	return script.Compile(own, rules.Passes(), opts...)
}

// unverified is that pipeline for what checks every tree itself, and wants to
// see what nodes remember, as verified runs do not.
func (f *scriptFlags) unverified(ctx context.Context) (*rewrite.Pipeline, error) {
	own, err := f.load(ctx)
	if err != nil {
		return nil, err
	}
	passes := rules.Passes()
	if len(own) > 0 {
		passes = append([]rewrite.Pass{script.Pass(own)}, passes...)
	}
	return rewrite.New(passes)
}

// load is the rules of the scripts.
func (f *scriptFlags) load(ctx context.Context) ([]rewrite.Rule, error) {
	var own []rewrite.Rule
	for _, path := range f.rules {
		src, err := readScript(path)
		if err != nil {
			return nil, err
		}
		more, err := script.LoadRules(ctx, path, src, script.Options{Folder: filepath.Dir(path)})
		if err != nil {
			return nil, err
		}
		own = append(own, more...)
	}
	return own, nil
}
