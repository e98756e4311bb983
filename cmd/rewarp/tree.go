package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/rewarp/rewarp"
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/eval"
)

// readTree reads TREE as it stands.
func (a *app) readTree(name string) (ast.Node, error) {
	if name != "-" {
		return rewarp.ReadTree(name)
	}
	data, err := a.readInput()
	if err != nil {
		return nil, err
	}
	a.stdin = data
	return parseInput(data)
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

// parseInput reads a tree from standard input, where an expression begins with
// a parenthesis.
func parseInput(data []byte) (ast.Node, error) {
	name := treeName("-")
	if text := bytes.TrimSpace(data); len(text) > 0 && (text[0] == '(' || text[0] == '#' || text[0] == ';') {
		n, err := ast.ParseExpr(string(data))
		if err != nil {
			return nil, &rewarp.TreeError{Name: name, Err: err}
		}
		return n, nil
	}
	return rewarp.ParseTree(name, data)
}

// loadTree reads TREE and looks up the metadata that it lacks.
func (a *app) loadTree(ctx context.Context, name string, opener eval.Opener) (ast.Node, error) {
	n, err := a.readTree(name)
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
		if name != "-" {
			where = "the folder of the tree file"
		}
		return nil, &hinted{err, "check the uri; relative ones start at " + where}
	}
	return nil, err
}

// treeName is how messages call TREE.
func treeName(name string) string {
	if name == "-" {
		return "standard input"
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
	return []string{"json", "expr"}, cobra.ShellCompDirectiveFilterFileExt
}

// treeCommand is a command whose only argument is TREE.
func treeCommand(use, short, long string) *cobra.Command {
	return &cobra.Command{
		Use: use + " TREE", Short: short, Long: long,
		Args: nArgs(1, "TREE: a tree file, an expression (.expr), or - for standard input"), ValidArgsFunction: completeTrees,
	}
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
