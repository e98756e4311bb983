package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/rewrite"
)

// explain is rewarp explain.
type explain struct {
	rewriteFlags
	app     *app
	whyNot  string
	analyze bool
	asJSON  bool
	html    string
}

func (a *app) explainCommand() *cobra.Command {
	x := &explain{app: a}
	cmd := a.treeCommand("explain", "Show how a tree is rewritten, rule by rule, and what it saves",
		`explain shows every firing of a rule in turn: where it fired, what it made of the node, the rule's own line of
documentation, and the estimated cost of the part that it rewrote, before and after: samples read, blocks decoded,
samples resampled, bytes moved. The last line sums up the tree.

With --analyze it also runs the rewritten tree, writes nothing, and sets the estimates beside what was measured: in all,
of each raster, and of each node. A node that runs as a part of another one's step says of which. What is estimated of
a raster or a node is the plan's figure; it may be a little below the rules', since a plan reads no pixel in vain.

With --html OUT.html it writes a page that needs no network: both trees as diagrams, the firings to step through, and
what is read of each raster, drawn over a thumbnail; for that it opens the rasters.

With --why-not NAME it says at each node that the rule looks at in the rewritten tree what kept it from firing, and
the same for the tree as it stands where the rule never fired.`, x.run)
	x.add(cmd)
	cmd.Flags().StringVar(&x.whyNot, "why-not", "", "say what keeps the rule `NAME` from firing")
	cmd.Flags().BoolVar(&x.analyze, "analyze", false, "run the tree, and set the estimates beside what was measured")
	complete(cmd, "why-not", allRules)
	cmd.Flags().BoolVar(&x.asJSON, "json", false, "write JSON")
	cmd.Flags().StringVar(&x.html, "html", "", "write a page to `OUT.html`")
	_ = cmd.MarkFlagFilename("html", "html")
	return cmd
}

func (x *explain) run(cmd *cobra.Command, name string) error {
	p, err := x.pipeline(cmd.Context(), rewrite.Trace())
	if err != nil {
		return err
	}
	switch {
	case x.whyNot != "" && x.html != "":
		return usagef(cmd, "--html and --why-not exclude each other")
	case x.whyNot != "" && x.analyze:
		return usagef(cmd, "--analyze and --why-not exclude each other")
	}
	if x.whyNot != "" {
		if err := knownRule(p, x.whyNot); err != nil {
			return usagef(cmd, "--why-not %q: %v", x.whyNot, err)
		}
	}
	n, err := x.app.loadTree(cmd.Context(), name, x.opener())
	if err != nil {
		return err
	}
	if x.whyNot != "" {
		return x.reasons(p, name, n)
	}
	res, err := p.Optimize(n)
	if err != nil {
		return inTree(name, err)
	}
	before, after := rewrite.CostOf(n), rewrite.CostOf(res.Node)
	var found *analysis
	if x.analyze {
		if found, err = x.measure(cmd.Context(), n); err != nil {
			return inTree(name, err)
		}
	}
	if x.html != "" {
		if err := x.page(cmd.Context(), name, n, res, found); err != nil {
			return err
		}
	}
	if x.asJSON {
		out := explanationOf(res, before, after)
		out.Analysis = found
		return x.app.writeJSON(out)
	}
	var b bytes.Buffer
	trace := res.Trace()
	if x.html != "" {
		trace = nil // the page has it
	}
	for i, f := range trace {
		fmt.Fprintf(&b, "%3d. %s (%s, %v) at %s\n", i+1, f.Rule.Name(), f.Pass, f.Rule.Fidelity(), place(f.Path))
		fmt.Fprintf(&b, "       %s\n", f.Rule.Doc())
		fmt.Fprintf(&b, "     - %s\n", shape(f.Before))
		fmt.Fprintf(&b, "     + %s\n", shape(f.After))
		fmt.Fprintf(&b, "       %s\n", costChange(f.CostBefore, f.CostAfter))
	}
	if len(trace) > 0 {
		b.WriteByte('\n')
	}
	fmt.Fprintln(&b, summary(res, before, after))
	out := bytes.NewBufferString(x.terminal().wrap(b.String()))
	if found != nil {
		found.text(out)
	}
	return x.app.print(out)
}

func (x *explain) terminal() terminal { return terminalOf(x.app.out, "auto", os.Getenv) }

func place(path string) string {
	if path == "" {
		return "the root"
	}
	return path
}

// shape is the top of a subtree on one line, as far down as rules look.
func shape(n ast.Node) string {
	var b strings.Builder
	for depth := range 4 {
		if depth > 0 {
			b.WriteString(" ← ")
		}
		if depth == 3 && n.NumInputs() > 0 {
			b.WriteString("…")
			break
		}
		name, _, _ := strings.Cut(ast.Label(n), " ")
		fmt.Fprintf(&b, "%s %v", name, n.Size())
		if n.NumInputs() != 1 {
			if k := n.NumInputs(); k > 1 {
				fmt.Fprintf(&b, " ← %d inputs", k)
			}
			break
		}
		n = n.Input(0)
	}
	return b.String()
}

func costChange(before, after rewrite.Cost) string {
	if before == after {
		return "cost unchanged: " + costText(after)
	}
	return costText(before) + " → " + costText(after)
}

func costText(c rewrite.Cost) string {
	return fmt.Sprintf("read %s in %s, resampled %s, %s", count(c.Read), blocks(c.Blocks), count(c.Resampled), byteText(c.Bytes))
}

// summary is the line that a person can quote.
func summary(res rewrite.Result, before, after rewrite.Cost) string {
	if len(res.Trace()) == 0 {
		return "no rule fired: the tree is canonical; " + costText(after)
	}
	return fmt.Sprintf("%s: samples read %s, blocks decoded %s, samples resampled %s, moved %s", plural(int64(len(res.Trace())), "firing"),
		saving(before.Read, after.Read, count), saving(before.Blocks, after.Blocks, count),
		saving(before.Resampled, after.Resampled, count), saving(before.Bytes, after.Bytes, byteText))
}

func saving(before, after float64, text func(float64) string) string {
	s := text(before) + " → " + text(after)
	switch {
	case before == after:
		return text(after) + " as before"
	case after > 0 && before > after:
		s += " (" + ratio(before/after) + "× less)"
	case before > 0 && after > before:
		s += " (" + ratio(after/before) + "× more)"
	}
	return s
}

func ratio(v float64) string {
	if v >= 100 {
		return count(v)
	}
	return fmt.Sprintf("%.3g", v)
}

// blocks is for example "12 blocks".
func blocks(v float64) string {
	return plural(int64(v), "block")
}

func plural(n int64, what string) string {
	if n != 1 {
		what += "s"
	}
	return count(float64(n)) + " " + what
}

// count is a whole number with its thousands apart.
func count(v float64) string {
	s := fmt.Sprintf("%.0f", v)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func byteText(v float64) string {
	unit := "B"
	for _, next := range []string{"kB", "MB", "GB", "TB", "PB", "EB"} {
		if v < 1000 {
			break
		}
		v, unit = v/1000, next
	}
	return fmt.Sprintf("%.3g %s", v, unit)
}

// reasons answers --why-not.
func (x *explain) reasons(p *rewrite.Pipeline, name string, n ast.Node) error {
	res, err := p.Optimize(n)
	if err != nil {
		return inTree(name, err)
	}
	var out whyNotJSON
	out.Rule = x.whyNot
	for i, f := range res.Trace() {
		if f.Rule.Name() == x.whyNot {
			out.Fired = append(out.Fired, firedJSON{i + 1, f.Path})
		}
	}
	if len(out.Fired) == 0 {
		if out.Before, err = whyNot(p, n, x.whyNot); err != nil {
			return inTree(name, err)
		}
	}
	if res.Changed || len(out.Fired) > 0 {
		if out.After, err = whyNot(p, res.Node, x.whyNot); err != nil {
			return inTree(name, err)
		}
	}
	if x.asJSON {
		return x.app.writeJSON(out)
	}
	var b bytes.Buffer
	for _, f := range out.Fired {
		fmt.Fprintf(&b, "%s fired as number %d at %s\n", out.Rule, f.Number, place(f.Path))
	}
	section := func(title string, reasons []reasonJSON) {
		fmt.Fprintf(&b, "%s\n", title)
		if len(reasons) == 0 {
			fmt.Fprintln(&b, "  there is no node that the rule looks at")
		}
		for _, r := range reasons {
			fmt.Fprintf(&b, "  at %s: %s\n    %s\n", place(r.Path), r.Reason, r.Node)
		}
	}
	if len(out.Fired) == 0 {
		section("in the tree as it stands:", out.Before)
	}
	if res.Changed || len(out.Fired) > 0 {
		section("in the rewritten tree:", out.After)
	}
	return x.app.print(bytes.NewBufferString(x.terminal().wrap(b.String())))
}

func whyNot(p *rewrite.Pipeline, n ast.Node, rule string) ([]reasonJSON, error) {
	reasons, err := p.WhyNot(n, rule)
	if err != nil {
		return nil, err
	}
	out := []reasonJSON{}
	for _, r := range reasons {
		out = append(out, reasonJSON{r.Path, ast.Label(r.Node), r.Text})
	}
	return out, nil
}
