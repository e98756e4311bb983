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

// dump is rewarp dump.
type dump struct {
	rewriteFlags
	app           *app
	format        choice
	before, after bool
	asJSON        bool
	output        string
}

func (a *app) dumpCommand() *cobra.Command {
	d := &dump{app: a, format: choice{"text", []string{"text", "json", "dot", "mermaid"}}}
	cmd := treeCommand("dump", "Show a tree before and after rewriting",
		`dump shows a tree as it stands and as it is rewritten.

With --before or --after alone, --format json is a tree file:

  rewarp dump --after --format json tree.json | rewarp eval - -o out.tif

Relative uris in it start at the current folder, or with -o at that file's folder. With both, it is an object with a
tree file each for "before" and "after".`)
	d.add(cmd)
	addChoice(cmd, &d.format, "format", "how to show the trees")
	cmd.Flags().BoolVar(&d.asJSON, "json", false, "write JSON, as --format json does")
	cmd.Flags().BoolVar(&d.before, "before", false, "show the tree as it stands only")
	cmd.Flags().BoolVar(&d.after, "after", false, "show the rewritten tree only")
	cmd.Flags().StringVarP(&d.output, "output", "o", "", "write to a `FILE`")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return d.run(cmd, args[0]) }
	return cmd
}

func (d *dump) run(cmd *cobra.Command, name string) error {
	before, err := d.app.loadTree(cmd.Context(), name, d.opener())
	if err != nil {
		return err
	}
	var res rewrite.Result
	if d.after || !d.before {
		p, err := d.pipeline()
		if err != nil {
			return err
		}
		if res, err = p.Optimize(before); err != nil {
			return inTree(name, err)
		}
	}
	var b bytes.Buffer
	if d.asJSON || d.format.value == "json" {
		err = d.json(&b, before, res)
	} else {
		err = d.draw(&b, before, res)
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
	}{Changed: res.Changed, Firings: res.Fired}
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
		if meta, ok := l.Meta(); ok && uri != l.URI() {
			return ast.NewLoadMeta(uri, l.Channels(), meta)
		}
		return n, nil
	})
}

// draw writes the trees in a form for people or for diagram tools.
func (d *dump) draw(b *bytes.Buffer, before ast.Node, res rewrite.Result) error {
	format := map[string]func(ast.Node) string{
		"text": ast.FormatText, "dot": ast.FormatDOT, "mermaid": ast.FormatMermaid,
	}[d.format.value]
	both := d.before == d.after
	comment := map[string]string{"text": "", "dot": "// ", "mermaid": "%% "}[d.format.value]
	if d.before || both {
		if both {
			fmt.Fprintf(b, "%sbefore\n", comment)
		}
		b.WriteString(format(before))
	}
	if d.after || both {
		if both {
			fmt.Fprintf(b, "\n%safter%s\n", comment, changes(res))
		}
		b.WriteString(format(res.Node))
	}
	return nil
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
