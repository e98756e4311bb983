package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/rewrite"
)

//go:generate go run . dump --format svg ../../testdata/trees/tree3.json -o ../../docs/img/rewrite.svg
//go:generate go run . dump --step --format svg ../../testdata/trees/tree3.json -o ../../docs/img/film.svg

// dump is rewarp dump.
type dump struct {
	rewriteFlags
	app           *app
	format        choice
	color         choice
	before, after bool
	asJSON        bool
	step          bool
	output        string
}

func (a *app) dumpCommand() *cobra.Command {
	d := &dump{app: a, color: newColor(), format: choice{"text", []string{"text", "json", "dot", "mermaid", "html", "svg"}}}
	cmd := a.treeCommand("dump", "Show a tree before and after rewriting",
		`dump shows a tree as it stands and as it is rewritten. On a terminal, nodes that rewriting changed are marked ~, new
ones +, dropped ones -, in colour unless NO_COLOR is set, and the trees stand side by side where it is wide enough. A
subtree that is shared is shown once.

With --step it shows the whole tree after every firing of a rule: as text one below the other, as --format svg in a film
that any browser plays.

With --before or --after alone, --format json is a tree file:

  rewarp dump --after --format json tree.json | rewarp eval - -o out.tif

Relative uris in it start at the current folder, or with -o at that file's folder. With both, it is an object with a
tree file each for "before" and "after".`, d.run)
	d.add(cmd)
	addChoice(cmd, &d.format, "format", "how to show the trees")
	addChoice(cmd, &d.color, "color", "colour and marks in text; auto is on a terminal")
	cmd.Flags().BoolVar(&d.step, "step", false, "show the tree after every firing")
	cmd.Flags().BoolVar(&d.asJSON, "json", false, "write JSON, as --format json does")
	cmd.Flags().BoolVar(&d.before, "before", false, "show the tree as it stands only")
	cmd.Flags().BoolVar(&d.after, "after", false, "show the rewritten tree only")
	cmd.Flags().StringVarP(&d.output, "output", "o", "", "write to a `FILE`")
	return cmd
}

func (d *dump) run(cmd *cobra.Command, name string) error {
	var opts []rewrite.Option
	if d.step {
		if f := d.format.value; d.asJSON || f != "text" && f != "svg" || d.before || d.after {
			return usagef(cmd, "--step shows whole trees, as text or svg; explain --html shows them on a page")
		}
		opts = append(opts, rewrite.Trace())
	}
	p, err := d.pipeline(cmd.Context(), opts...)
	if err != nil {
		return err
	}
	before, err := d.app.loadTree(cmd.Context(), name, d.opener())
	if err != nil {
		return err
	}
	var res rewrite.Result
	if d.after || !d.before {
		if res, err = p.Optimize(before); err != nil {
			return inTree(name, err)
		}
	}
	var b bytes.Buffer
	switch {
	case d.asJSON || d.format.value == "json":
		err = d.json(&b, before, res)
	case d.step:
		err = d.steps(&b, before, res, d.terminal())
	default:
		err = d.draw(&b, name, before, res)
	}
	if err != nil {
		return err
	}
	if d.output != "" {
		return writeFile(d.output, b.Bytes())
	}
	return d.app.print(&b)
}

// json writes one tree file, or an object of two.
func (d *dump) json(b *bytes.Buffer, before ast.Node, res rewrite.Result) error {
	var opts []ast.WriteOption
	if d.output != "" {
		folder, err := filepath.Abs(filepath.Dir(d.output))
		if err != nil {
			return err
		}
		if before, err = absoluteURIs(before); err != nil {
			return err
		}
		if res.Node != nil {
			if res.Node, err = absoluteURIs(res.Node); err != nil {
				return err
			}
		}
		opts = append(opts, ast.RelativeTo(folder))
	}
	if d.before != d.after {
		n := before
		if d.after {
			n = res.Node
		}
		return ast.WriteJSON(b, n, opts...)
	}
	out := struct {
		Before  json.RawMessage `json:"before"`
		After   json.RawMessage `json:"after"`
		Changed bool            `json:"changed"`
		Firings int             `json:"firings"`
	}{Changed: res.Changed, Firings: int(res.Fired)}
	var err error
	if out.Before, err = marshalTree(before, opts...); err != nil {
		return err
	}
	if out.After, err = marshalTree(res.Node, opts...); err != nil {
		return err
	}
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

// absoluteURIs makes the uris of files independent of the current folder.
func absoluteURIs(n ast.Node) (ast.Node, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	return ast.Transform(n, func(n ast.Node) (ast.Node, error) {
		l, ok := n.(*ast.Load)
		if !ok {
			return n, nil
		}
		uri := ast.ResolveURI(cwd, l.URI())
		if uri == l.URI() {
			return n, nil
		}
		if meta, ok := l.Meta(); ok {
			return ast.NewLoadMeta(uri, l.Channels(), meta)
		}
		return ast.NewLoad(uri, l.Channels())
	})
}

// draw writes the trees in a form for people or for diagram tools.
func (d *dump) draw(b *bytes.Buffer, name string, before ast.Node, res rewrite.Result) error {
	both := d.before == d.after
	title := "after" + changes(res)
	t := d.terminal()
	switch {
	case d.format.value == "svg" && both:
		drawPair(b, before, res)
		return nil
	case d.format.value == "html":
		return d.page(b, name, before, res)
	case d.format.value == "text" && both && t.marks:
		t.pair(b, before, res.Node, "before", title)
		return nil
	case both:
		pair := []ast.Cluster{{Title: "before", Root: before}, {Title: title, Root: res.Node}}
		switch d.format.value {
		case "dot":
			b.WriteString(ast.FormatDOTClusters(pair...))
		case "mermaid":
			b.WriteString(ast.FormatMermaidClusters(pair...))
		default:
			fmt.Fprintln(b, pair[0].Title)
			t.tree(b, before, nil)
			fmt.Fprintf(b, "\n%s\n", title)
			t.tree(b, res.Node, nil)
		}
		return nil
	}
	n := before
	if d.after {
		n = res.Node
	}
	switch d.format.value {
	case "dot":
		b.WriteString(ast.FormatDOT(n))
	case "mermaid":
		b.WriteString(ast.FormatMermaid(n))
	case "svg":
		b.WriteString(drawTree(n))
	default:
		t.tree(b, n, nil)
	}
	return nil
}

// terminal is how text is shown. In a file there are no lines to break.
func (d *dump) terminal() terminal {
	if d.output != "" {
		t := terminalOf(nil, d.color.value, os.Getenv)
		t.width = 0
		return t
	}
	return terminalOf(d.app.out, d.color.value, os.Getenv)
}

func changes(res rewrite.Result) string {
	switch {
	case !res.Changed:
		return ", unchanged"
	case res.Fired == 1:
		return ", 1 firing"
	}
	return fmt.Sprintf(", %d firings", res.Fired)
}
