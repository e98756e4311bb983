package script

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"go.starlark.net/starlark"

	"github.com/rewarp/rewarp/ast"
)

// The default bounds of a run.
const (
	DefaultSteps  = 1_000_000
	DefaultMemory = 64 << 20 // bytes
)

// Options are what a script may reach and use. The zero Options describe no
// load, print nothing and have the default bounds.
type Options struct {
	// Describer looks up the metadata of loads as they are made, so that slices
	// that count from the end, resize and band names work. Without it, loads
	// that do not say their size remain unknown until the tree is prepared.
	Describer ast.Describer
	// Folder is where relative uris start.
	Folder string
	// Print takes a line for each call of print; nil drops them.
	Print io.Writer
	// Steps bounds the steps of Starlark's interpreter in a run, 0 for
	// DefaultSteps. Operations on large values count as many.
	Steps uint64
	// Memory bounds the bytes of all values that a run makes, dead ones too, 0
	// for DefaultMemory. Beyond it come at most some hundred bytes a step.
	Memory int64
}

// ReadTree runs a script and returns its tree: the global named tree, or else
// the last statement at the top level that is an expression with a tree as its
// value. The name stands in errors, which are *Error.
func ReadTree(ctx context.Context, name string, src []byte, o Options) (ast.Node, error) {
	w := &world{ctx: ctx, describer: o.Describer, folder: o.Folder}
	globals, err := run(ctx, name, src, w, o)
	if err != nil {
		return nil, err
	}
	switch v := globals["tree"].(type) {
	case *treeValue:
		return v.node, nil
	case nil:
	default:
		return nil, &Error{Name: name, Msg: fmt.Sprintf("the global named tree is %s, expected a tree", v.Type())}
	}
	if w.result == nil {
		return nil, &Error{Name: name, Msg: "the script makes no tree: end it in an expression such as load(\"a.tif\").scale(0.5), or assign tree = …"}
	}
	return w.result.node, nil
}

// EvalExpr is the tree of an expression, as a command line has it. Statements
// may stand before it.
func EvalExpr(ctx context.Context, expr string, o Options) (ast.Node, error) {
	return ReadTree(ctx, "expression", []byte(expr), o)
}

// ReadTreeFile runs the script in a file. Without a folder in the options,
// relative uris start at the file's.
func ReadTreeFile(ctx context.Context, path string, o Options) (ast.Node, error) {
	src, err := readFile(path, &o)
	if err != nil {
		return nil, err
	}
	return ReadTree(ctx, path, src, o)
}

func readFile(path string, o *Options) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if o.Folder == "" {
		o.Folder = filepath.Dir(path)
	}
	return io.ReadAll(io.LimitReader(f, MaxSource+1))
}

// run runs a script to its end and returns its globals.
func run(ctx context.Context, name string, src []byte, w *world, o Options) (globals starlark.StringDict, err error) {
	if err := ctx.Err(); err != nil {
		return nil, &Error{Name: name, Msg: err.Error(), Err: err}
	}
	program, err := parse(name, src)
	if err != nil {
		return nil, err
	}
	w.found = map[string]ast.Meta{}
	t := newThread(name, w, o)
	defer context.AfterFunc(ctx, func() { t.Cancel(context.Cause(ctx).Error()) })()
	globals, err = program.Init(t, predeclared)
	if err != nil {
		return nil, ended(ctx, t, wrap(name, err))
	}
	globals.Freeze() // rules read them from many goroutines
	return globals, nil
}

// newThread is a thread with its own budget.
func newThread(name string, w *world, o Options) *starlark.Thread {
	if o.Steps == 0 {
		o.Steps = DefaultSteps
	}
	if o.Memory == 0 {
		o.Memory = DefaultMemory
	}
	t := &starlark.Thread{Name: name, Print: func(_ *starlark.Thread, msg string) {
		if o.Print != nil {
			fmt.Fprintln(o.Print, msg)
		}
	}}
	t.SetMaxExecutionSteps(o.Steps)
	t.OnMaxSteps = func(t *starlark.Thread) { t.Cancel(stepsError(o.Steps).Error()) }
	t.SetLocal(budgetKey, &budget{memory: o.Memory, given: o.Memory, steps: o.Steps})
	t.SetLocal(worldKey, w)
	return t
}

// ended puts the reason in place of Starlark's words for a thread that was
// ended from outside.
func ended(ctx context.Context, t *starlark.Thread, err error) error {
	const prefix = "Starlark computation cancelled: "
	e, ok := err.(*Error)
	if !ok || len(e.Msg) < len(prefix) || e.Msg[:len(prefix)] != prefix {
		return err
	}
	e.Msg, e.Err = e.Msg[len(prefix):], nil
	if ctx.Err() != nil {
		e.Msg, e.Err = "the script was ended: "+context.Cause(ctx).Error(), context.Cause(ctx)
	} else {
		e.Err = stepsError(budgetOf(t).steps)
		e.Msg = e.Err.Error()
	}
	return e
}
