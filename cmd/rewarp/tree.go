package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/rewarp/rewarp"
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/eval"
)

// readTree reads TREE as it stands. The opener describes what a script loads.
func (a *app) readTree(ctx context.Context, name string, opener eval.Opener) (ast.Node, error) {
	switch {
	case name == expressionName:
		return a.runScript(ctx, "expression", "", []byte(a.expression), opener)
	case name == "-":
		data, err := a.readInput()
		if err != nil {
			return nil, err
		}
		a.stdin = data
		return a.parseInput(ctx, data, opener)
	case isScript(name):
		src, err := readScript(name)
		if err != nil {
			return nil, err
		}
		return a.runScript(ctx, name, filepath.Dir(name), src, opener)
	}
	n, err := rewarp.ReadTree(name)
	if err != nil {
		return nil, noTree(name, err)
	}
	return n, nil
}

// noTree adds what to do where a file that is no tree is of another kind.
func noTree(name string, err error) error {
	var wrong *rewarp.TreeError
	if !errors.As(err, &wrong) {
		return err
	}
	f, openErr := os.Open(name)
	if openErr != nil {
		return err
	}
	defer f.Close()
	start, readErr := io.ReadAll(io.LimitReader(f, 512))
	switch {
	case readErr != nil:
		return err
	case bytes.IndexByte(start, 0) >= 0:
		return &hinted{err, fmt.Sprintf("rewarp info shows a raster, and -e 'load(%q)' makes a tree of it", name)}
	case bytes.HasPrefix(bytes.TrimSpace(start), []byte("<")):
		return &hinted{err, "rewarp import makes a tree of a VRT"}
	}
	return err
}

func (a *app) readInput() ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(a.in, ast.MaxFileBytes+1))
	if err != nil {
		return nil, fmt.Errorf("standard input: %w", err)
	}
	if len(data) > ast.MaxFileBytes {
		return nil, fmt.Errorf("standard input is larger than %d MiB, the limit of a tree file", ast.MaxFileBytes>>20)
	}
	return data, nil
}

// parseInput reads a tree from standard input: a tree file begins with a brace,
// an expression with a parenthesis, and anything else is a script.
func (a *app) parseInput(ctx context.Context, data []byte, opener eval.Opener) (ast.Node, error) {
	name := treeName("-")
	text := bytes.TrimSpace(data)
	for len(text) > 0 && text[0] == '#' {
		_, text, _ = bytes.Cut(text, []byte("\n"))
		text = bytes.TrimSpace(text)
	}
	switch {
	case len(text) > 0 && (text[0] == '(' || text[0] == ';'):
		n, err := ast.ParseExpr(string(data))
		if err != nil {
			return nil, &rewarp.TreeError{Name: name, Err: err}
		}
		return n, nil
	case len(text) > 0 && (text[0] == '_' || unicode.IsLetter(rune(text[0]))):
		return a.runScript(ctx, name, "", data, opener)
	}
	return rewarp.ParseTree(name, data)
}

// loadTree reads TREE and looks up the metadata that it lacks.
func (a *app) loadTree(ctx context.Context, name string, opener eval.Opener) (ast.Node, error) {
	n, err := a.readTree(ctx, name, opener)
	if err != nil {
		return nil, err
	}
	return a.prepare(ctx, name, n, opener)
}

func (a *app) prepare(ctx context.Context, name string, n ast.Node, opener eval.Opener) (ast.Node, error) {
	p, err := ast.Prepare(ctx, n, opener)
	if err == nil {
		return p, nil
	}
	missing := errors.Is(err, fs.ErrNotExist)
	err = locate(treeName(name), a.sourceText(name), err)
	if missing {
		where := "the current folder"
		if name != "-" && name != expressionName {
			where = "the folder of the tree file"
		}
		return nil, &hinted{err, "check the uri; relative ones start at " + where}
	}
	return nil, err
}

// treeName is how messages call TREE.
func treeName(name string) string {
	switch name {
	case "-":
		return "standard input"
	case expressionName:
		return "expression"
	}
	return name
}

// inTree says which tree an error is about.
func inTree(name string, err error) error {
	var e *ast.Error
	if !errors.As(err, &e) {
		return err
	}
	return fmt.Errorf("%s: %w", treeName(name), err)
}

// hinted is an error with what to do about it.
type hinted struct {
	err  error
	hint string
}

func (e *hinted) Error() string { return e.err.Error() + "; " + e.hint }
func (e *hinted) Unwrap() error { return e.err }

// completeTrees offers tree files for the first argument.
func completeTrees(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []string{"json", "star", "expr"}, cobra.ShellCompDirectiveFilterFileExt
}

// treeCommand is a command whose only argument is TREE, or the flag -e in its
// place. It runs with the name of the tree, for readTree.
func (a *app) treeCommand(use, short, long string, run func(cmd *cobra.Command, name string) error) *cobra.Command {
	cmd := &cobra.Command{
		Use: use + " TREE", Short: short, Long: long, ValidArgsFunction: completeTrees,
		Args: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("expression") {
				return nArgs(1, "TREE: a tree file (.json), a script (.star), an expression (.expr), - for standard input, or -e 'EXPRESSION'")(cmd, args)
			}
			if len(args) > 0 {
				return usagef(cmd, "unexpected argument %q beside -e", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return run(cmd, expressionName)
			}
			return run(cmd, args[0])
		},
	}
	cmd.Flags().StringVarP(&a.expression, "expression", "e", "", "the tree as an `EXPRESSION` of a script, such as 'load(\"a.tif\").scale(0.5)'")
	return cmd
}

// writeJSON writes a value for scripts.
func (a *app) writeJSON(v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	return a.print(&b)
}

// marshalTree is a tree file as a part of a larger JSON document.
func marshalTree(n ast.Node, opts ...ast.WriteOption) (json.RawMessage, error) {
	return ast.MarshalTree(n, opts...)
}
