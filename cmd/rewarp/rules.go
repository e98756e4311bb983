package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/rewrite"
	"github.com/rewarp/rewarp/rules"
)

// The rule catalogue is this command's own output; `make docs` runs this line.
//go:generate go run . rules --format markdown -o ../../docs/rules.md

// catalogue is rewarp rules.
type catalogue struct {
	app      *app
	fidelity fidelityFlag
	format   choice
	scripts  scriptFlags
	asJSON   bool
	output   string
}

func (a *app) rulesCommand() *cobra.Command {
	c := &catalogue{app: a, format: choice{"text", []string{"text", "json", "markdown"}}}
	cmd := &cobra.Command{
		Use: "rules", Short: "List the rules", Args: nArgs(0, ""),
		Long: `rules lists the built-in rules in the order in which they are tried: the pass that a rule belongs to, its fidelity, the
operations that it looks at, and what it does. With --rules it lists those of a script before them.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.run(cmd.Context()) },
	}
	c.scripts.add(cmd)
	c.fidelity.add(cmd, "list the rules that a cap lets fire")
	addChoice(cmd, &c.format, "format", "how to list them")
	cmd.Flags().BoolVar(&c.asJSON, "json", false, "write JSON, as --format json does")
	cmd.Flags().StringVarP(&c.output, "output", "o", "", "write to a `FILE`")
	return cmd
}

func (c *catalogue) run(ctx context.Context) error {
	p, err := c.scripts.compile(ctx, rewrite.MaxFidelity(c.fidelity.get()))
	if err != nil {
		return err
	}
	var list []rewrite.RuleInfo
	for _, r := range p.Rules() {
		if r.Enabled {
			list = append(list, r)
		}
	}
	var b bytes.Buffer
	switch {
	case c.asJSON || c.format.value == "json":
		out := []ruleJSON{}
		for _, r := range list {
			out = append(out, ruleJSON{r.Rule.Name(), r.Pass, r.Rule.Fidelity().String(), r.Rule.Ops(), r.Rule.Doc()})
		}
		return c.app.writeJSON(out)
	case c.format.value == "markdown":
		markdown(&b, list)
	default:
		c.text(&b, list)
	}
	if c.output != "" {
		return writeFile(c.output, b.Bytes())
	}
	return c.app.print(&b)
}

// narrowest is how many cells a terminal needs for rules in columns, whose docs
// are broken by the terminal.
const narrowest = 120

// text is a rule a line, or on a narrow terminal its doc on lines of its own.
func (c *catalogue) text(b *bytes.Buffer, list []rewrite.RuleInfo) {
	t := terminal{}
	if c.output == "" {
		t = terminalOf(c.app.out, "auto", os.Getenv)
	}
	if t.width > 0 && t.width < narrowest {
		var lines strings.Builder
		for _, r := range list {
			fmt.Fprintf(&lines, "%s (%s, %v) on %s\n", r.Rule.Name(), r.Pass, r.Rule.Fidelity(), strings.Join(r.Rule.Ops(), ","))
			fmt.Fprintf(&lines, "    %s\n", r.Rule.Doc())
		}
		b.WriteString(t.wrap(lines.String()))
		return
	}
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, r := range list {
		fmt.Fprintf(w, "%s\t%s\t%v\t%s\t%s\n", r.Rule.Name(), r.Pass, r.Rule.Fidelity(), strings.Join(r.Rule.Ops(), ","), r.Rule.Doc())
	}
	w.Flush()
}

// ruleJSON is a rule in rules --json.
type ruleJSON struct {
	Name     string   `json:"name"`
	Pass     string   `json:"pass"`
	Fidelity string   `json:"fidelity"`
	Ops      []string `json:"ops"`
	Doc      string   `json:"doc"`
}

// markdown is docs/rules.md.
func markdown(b *bytes.Buffer, list []rewrite.RuleInfo) {
	fmt.Fprint(b, `# The built-in rules

<!-- Written by `+"`make docs`"+` from the rules themselves. -->

A pass runs its rules at every node it visits until none fires, the first that fires wins, and the passes run in turn
until the tree is canonical. A rule's fidelity says how closely it keeps to the tree:

- **exact**: evaluating node by node gives the same bits before and after;
- **geometric**: shape, mask and sample positions stay, values differ because fewer resamplings and roundings happen;
- **resolution**: another stored level is read, so that values, and the mask next to nodata, may differ.

`)
	fmt.Fprintf(b, "%d rules:", len(list))
	for f := ast.Exact; f <= ast.Resolution; f++ {
		n := 0
		for _, r := range list {
			if r.Rule.Fidelity() == f {
				n++
			}
		}
		if f > ast.Exact {
			b.WriteString(",")
		}
		fmt.Fprintf(b, " %d %v", n, f)
	}
	b.WriteString(". `rewarp rules` prints this list, `rewarp explain` shows them at work.\n")
	visits := map[string]rewrite.Traversal{}
	for _, p := range rules.Passes() {
		visits[p.Name] = p.Traversal
	}
	pass := ""
	for _, r := range list {
		if r.Pass != pass {
			pass = r.Pass
			fmt.Fprintf(b, "\n## Pass: %s (%v)\n\n| rule | fidelity | looks at | what it does |\n|---|---|---|---|\n", pass, visits[pass])
		}
		ops := strings.Join(r.Rule.Ops(), ", ")
		if ops == "*" {
			ops = "everything"
		}
		fmt.Fprintf(b, "| `%s` | %v | %s | %s |\n", r.Rule.Name(), r.Rule.Fidelity(), ops, strings.ReplaceAll(r.Rule.Doc(), "|", `\|`))
	}
}
