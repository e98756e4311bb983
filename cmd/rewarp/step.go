package main

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/rewrite"
)

// replay is the whole tree after each firing of a trace, the last one the
// result.
func replay(root ast.Node, res rewrite.Result) ([]ast.Node, error) {
	if len(res.Trace()) == 0 {
		return nil, nil
	}
	trees, err := replayTrace(root, res.Trace(), true)
	if err != nil || !ast.Equal(trees[len(trees)-1], res.Node) {
		// A shared node that was rewritten for one of its parents only.
		if trees, err = replayTrace(root, res.Trace(), false); err != nil {
			return nil, err
		}
	}
	trees[len(trees)-1] = res.Node
	return trees, nil
}

// replayTrace puts what each firing made where it fired, and with everywhere
// for all parents that share the node.
func replayTrace(root ast.Node, trace []rewrite.Firing, everywhere bool) ([]ast.Node, error) {
	trees := make([]ast.Node, len(trace))
	for i, f := range trace {
		steps := splitPath(f.Path)
		at, err := nodeAt(root, steps)
		if err == nil {
			if everywhere {
				root, err = replaceNode(root, at, f.After, map[ast.Node]ast.Node{})
			} else {
				root, err = replaceAt(root, steps, f.After)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("firing %d, %s at %s: %w", i+1, f.Rule.Name(), place(f.Path), err)
		}
		trees[i] = root
	}
	return trees, nil
}

func splitPath(path string) []string {
	if path == "" {
		return nil
	}
	return strings.Split(path, "/")
}

func nodeAt(n ast.Node, steps []string) (ast.Node, error) {
	for _, step := range steps {
		i, err := stepInput(n, step)
		if err != nil {
			return nil, err
		}
		n = n.Input(i)
	}
	return n, nil
}

// stepInput is the number of the input that a step of a path leads to.
func stepInput(n ast.Node, step string) (int, error) {
	if n.NumInputs() == 1 && step == n.Op() {
		return 0, nil
	}
	if number, ok := strings.CutPrefix(step, n.Op()+"."); ok {
		if i, err := strconv.Atoi(number); err == nil && i >= 0 && i < n.NumInputs() {
			return i, nil
		}
	}
	return 0, fmt.Errorf("no step %q from %s", step, n.Op())
}

func replaceAt(n ast.Node, steps []string, with ast.Node) (ast.Node, error) {
	if len(steps) == 0 {
		return with, nil
	}
	i, err := stepInput(n, steps[0])
	if err != nil {
		return nil, err
	}
	in, err := replaceAt(n.Input(i), steps[1:], with)
	if err != nil {
		return nil, err
	}
	return ast.Substitute(n, i, in)
}

// replaceNode replaces a node wherever it stands, but not inside what replaces
// it.
func replaceNode(n, old, with ast.Node, done map[ast.Node]ast.Node) (ast.Node, error) {
	if n == old {
		return with, nil
	}
	if r, ok := done[n]; ok {
		return r, nil
	}
	out := n
	for i := range n.NumInputs() {
		in, err := replaceNode(n.Input(i), old, with, done)
		if err == nil && in != n.Input(i) {
			out, err = ast.Substitute(out, i, in)
		}
		if err != nil {
			return nil, err
		}
	}
	done[n] = out
	return out, nil
}

// steps is dump --step: the tree after every firing.
func (d *dump) steps(b *bytes.Buffer, before ast.Node, res rewrite.Result, t terminal) error {
	trees, err := replay(before, res)
	if err != nil {
		return err
	}
	if d.format.value == "svg" {
		drawFilm(b, before, res, trees)
		return nil
	}
	fmt.Fprintln(b, t.paint(bold, "as written"))
	t.tree(b, before, nil)
	for i, f := range res.Trace() {
		c := compareTrees(before, trees[i])
		fmt.Fprintf(b, "\n%s\n", t.paint(bold, fmt.Sprintf("%d. %s (%s, %v) at %s", i+1, f.Rule.Name(), f.Pass, f.Rule.Fidelity(), place(f.Path))))
		b.WriteString(t.wrap("   " + f.Rule.Doc() + "\n"))
		b.WriteString(t.wrap("   " + costChange(rewrite.CostOf(before), rewrite.CostOf(trees[i])) + "\n"))
		for _, n := range distinct(before) {
			if c.of[n] == dropped {
				fmt.Fprintf(b, "%s\n", t.paint(red, "- "+ast.Label(n)))
			}
		}
		t.tree(b, trees[i], c.of)
		before = trees[i]
	}
	fmt.Fprintf(b, "\n%s\n", stepsEnd(res))
	return nil
}

func stepsEnd(res rewrite.Result) string {
	if len(res.Trace()) == 0 {
		return "no rule fired: the tree is canonical"
	}
	return plural(int64(len(res.Trace())), "firing") + ": the tree is canonical"
}
