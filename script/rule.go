package script

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/rewrite"
)

// The default bounds of one application of a rule.
const (
	RuleSteps  = 100_000
	RuleMemory = 8 << 20 // bytes
)

// rule is a rewrite rule whose functions are a script's.
type rule struct {
	script   string
	name     string
	fidelity ast.Fidelity
	shape    []string // operations from the top; nil where test decides
	test     *starlark.Function
	apply    *starlark.Function
	doc      string
	options  Options
}

// LoadRules runs a script and returns the rules that it declares by calls of
// rule, in order. What options bound is one application of a rule, as well as
// the script itself, with RuleSteps and RuleMemory as defaults for the former;
// rules describe no loads. Use Compile to make a pipeline of them: it verifies
// every firing.
func LoadRules(ctx context.Context, name string, src []byte, o Options) ([]rewrite.Rule, error) {
	var declared []*rule
	w := &world{ctx: ctx, describer: o.Describer, folder: o.Folder, rules: &declared}
	if _, err := run(ctx, name, src, w, o); err != nil {
		return nil, err
	}
	if len(declared) == 0 {
		return nil, &Error{Name: name, Msg: "the script declares no rule: call rule(name, fidelity, match, apply)"}
	}
	if o.Steps == 0 {
		o.Steps = RuleSteps
	}
	if o.Memory == 0 {
		o.Memory = RuleMemory
	}
	var rules []rewrite.Rule
	for _, r := range declared {
		r.script, r.options = name, o
		rules = append(rules, r.rule())
	}
	return rules, nil
}

// LoadRulesFile loads the rules of a script in a file.
func LoadRulesFile(ctx context.Context, path string, o Options) ([]rewrite.Rule, error) {
	src, err := readFile(path, &o)
	if err != nil {
		return nil, err
	}
	return LoadRules(ctx, path, src, o)
}

// Pass is a pass of the rules of scripts. Pipelines with it should have the
// option rewrite.Verify, as Compile gives them.
func Pass(rules []rewrite.Rule) rewrite.Pass {
	return rewrite.Pass{Name: "script", Traversal: rewrite.Everywhere, Rules: rules}
}

// Compile makes a pipeline of the rules of scripts before other passes, such as
// the built-in ones, which verifies every firing. The rules see the tree as it
// was given first, and then, as the pipeline runs to a fixpoint, what the other
// passes made of it.
func Compile(rules []rewrite.Rule, passes []rewrite.Pass, opts ...rewrite.Option) (*rewrite.Pipeline, error) {
	all := append([]rewrite.Pass{Pass(rules)}, passes...)
	return rewrite.New(all, append(append([]rewrite.Option{}, opts...), rewrite.Verify())...)
}

var ruleName = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// declareRule is the builtin rule.
func declareRule(a *arguments) (starlark.Value, error) {
	r := &rule{}
	var err error
	if r.name, err = a.text("name", ""); err != nil {
		return nil, err
	}
	if !ruleName.MatchString(r.name) || len(r.name) > 64 {
		return nil, a.wrong("name", "words between hyphens such as \"fuse-warps\"")
	}
	fidelity, err := a.text("fidelity", "")
	if err != nil {
		return nil, err
	}
	if r.fidelity, err = ast.ParseFidelity(fidelity); err != nil {
		return nil, fmt.Errorf("rule: %w", err)
	}
	if err := r.match(a); err != nil {
		return nil, err
	}
	var ok bool
	if r.apply, ok = a.values["apply"].(*starlark.Function); !ok {
		return nil, a.wrong("apply", "a function of a node")
	}
	r.apply.Freeze()
	if r.doc, err = a.text("doc", ""); err != nil {
		return nil, err
	}
	if strings.ContainsRune(r.doc, '\n') {
		return nil, a.wrong("doc", "one line")
	}
	if r.doc == "" {
		pos := a.thread.CallFrame(1).Pos
		r.doc = fmt.Sprintf("rule of %s:%d", pos.Filename(), pos.Line)
	}
	w := worldOf(a.thread)
	if w.rules == nil {
		return starlark.None, nil
	}
	for _, other := range *w.rules {
		if other.name == r.name {
			return nil, fmt.Errorf("rule: two rules are named %q", r.name)
		}
	}
	*w.rules = append(*w.rules, r)
	return starlark.None, nil
}

// match is an operation, a list of operations from the top, or a function.
func (r *rule) match(a *arguments) error {
	const expected = "an operation, a list of operations from the top such as [\"crop\", \"warp\"], or a function of a node"
	switch v := a.values["match"].(type) {
	case *starlark.Function:
		r.test = v
		r.test.Freeze()
		return nil
	case starlark.String:
		r.shape = []string{string(v)}
	case starlark.Indexable:
		if v.Len() == 0 || v.Len() > 16 {
			return a.wrong("match", expected)
		}
		for i := range v.Len() {
			op, ok := v.Index(i).(starlark.String)
			if !ok {
				return a.wrong("match", expected)
			}
			r.shape = append(r.shape, string(op))
		}
	default:
		return a.wrong("match", expected)
	}
	for _, op := range r.shape {
		if !isOp(op) {
			return fmt.Errorf("rule: match has the operation %q, expected %s, x-NAME, or * for any%s", op, strings.Join(ops, ", "), didYouMean(op, ops))
		}
	}
	return nil
}

func isOp(op string) bool {
	return op == "*" || strings.HasPrefix(op, "x-") || slices.Contains(ops, op)
}

// ops are the operations of the built-in nodes.
var ops = func() (names []string) {
	for k := ast.KindLoad; k < ast.NumKinds; k++ {
		names = append(names, k.String())
	}
	return names
}()

// rule is the rule as the engine takes it.
func (r *rule) rule() rewrite.Rule {
	op := "*"
	if r.shape != nil {
		op = r.shape[0]
	}
	return rewrite.OnOp(op, r.name, r.fidelity, r.fire).WithDoc(r.doc)
}

// fire applies the rule to a node. A function that returns None, or text that
// says why, leaves the node.
func (r *rule) fire(c *rewrite.Context, n ast.Node) (ast.Node, error) {
	below := n
	for i, op := range r.shape {
		if i > 0 {
			if below.NumInputs() != 1 {
				return c.No(n, "its "+below.Op()+" has no single input")
			}
			below = below.Input(0)
		}
		if op != "*" && op != below.Op() {
			return c.No(n, "below it stands "+below.Op()+", not "+op)
		}
	}
	t := newThread(r.script, &world{ctx: context.Background(), folder: r.options.Folder}, r.options)
	if r.test != nil {
		v, err := r.call(t, r.test, n)
		if err != nil {
			return nil, err
		}
		if !v.Truth() {
			return c.No(n, "its match function says no")
		}
	}
	v, err := r.call(t, r.apply, n)
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case *treeValue:
		return v.node, nil
	case starlark.NoneType:
		return c.No(n, "its apply function returned None")
	case starlark.String:
		return c.No(n, string(v))
	}
	return nil, at(r.script, r.apply.Position(), fmt.Sprintf("apply returned %s, expected a tree, None, or text that says why not", v.Type()))
}

func (r *rule) call(t *starlark.Thread, f *starlark.Function, n ast.Node) (starlark.Value, error) {
	v, err := starlark.Call(t, f, starlark.Tuple{&treeValue{n}}, nil)
	if err != nil {
		return nil, ended(context.Background(), t, wrap(r.script, err))
	}
	return v, nil
}
