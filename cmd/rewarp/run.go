package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// Exit statuses.
const (
	statusOK     = 0
	statusFailed = 1 // it did not work; one line on standard error says what to do
	statusUsage  = 2 // the command line is wrong
)

// app is what the commands share.
type app struct {
	in       io.Reader
	out, err io.Writer
	stdin    []byte // a tree that was read from in

	expression string // -e
}

// run is the whole program but for os.Exit.
func run(ctx context.Context, args []string, in io.Reader, out, errw io.Writer) (status int) {
	a := &app{in: in, out: out, err: errw}
	defer func() {
		if v := recover(); v != nil {
			fmt.Fprintln(errw, oneLine(fmt.Sprintf("rewarp: internal error: %v; please report it with the command line and the tree", v)))
			status = statusFailed
		}
	}()
	root := a.root()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return statusOK
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = errors.New("interrupted; nothing was written")
	}
	fmt.Fprintln(errw, oneLine("rewarp: "+message(err)))
	var usage *usageError
	if errors.As(err, &usage) {
		return statusUsage
	}
	return statusFailed
}

// oneLine keeps an error on one line, and control characters off the terminal.
func oneLine(s string) string {
	s = strings.TrimSpace(s)
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case r < ' ' || r == 0x7f:
			return '�'
		}
		return r
	}, s)
}

// usageError is a mistake in the command line.
type usageError struct {
	err     error
	command string // to ask for help, such as "rewarp eval"
}

func (e *usageError) Error() string {
	if e.command == "" {
		return e.err.Error()
	}
	return fmt.Sprintf("%v (see %s --help)", e.err, e.command)
}

func (e *usageError) Unwrap() error { return e.err }

func usagef(cmd *cobra.Command, format string, a ...any) error {
	return &usageError{fmt.Errorf(format, a...), cmd.CommandPath()}
}

// root is the command line.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "rewarp COMMAND",
		Short: "Rewrite trees of delayed raster operations, and run them",
		Long: `rewarp rewrites trees of delayed raster operations, and runs them.

A tree says what to do to images on disk: load, crop, warp, overview, dequantize, concat. rewarp rewrites it into a
tree of the same meaning that reads the fewest pixels and resamples once, shows it, explains it, and runs it.

TREE is a tree file (JSON), a script (a name that ends in .star), an expression (.expr), or - for standard input, which
may be any of them. In its place, -e 'load("a.tif").scale(0.5)[0:128, 0:128]' is a script of one line. Relative uris
start at the file's folder, or at the current one.

Exit status: 0 done, 1 failed, 2 wrong usage.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef(cmd, "which command? %s", commandList(cmd))
			}
			return usagef(cmd, "unknown command %q%s", args[0], didYouMean(args[0], commandNames(cmd)))
		},
		Version: versions().text(),
	}
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.SetUsageTemplate(usageTemplate(root))
	root.AddCommand(
		a.dumpCommand(), a.explainCommand(), a.evalCommand(), a.rulesCommand(), a.infoCommand(), a.benchCommand(), a.tuneCommand(),
		a.checkCommand(), a.newRuleCommand(), a.importCommand(), a.exportCommand(),
		a.schemaCommand(), a.doctorCommand(), a.manCommand(), a.versionCommand(),
	)
	completionCommand(root)
	helpCommand(root)
	return root
}

func commandNames(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Root().Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

func commandList(cmd *cobra.Command) string { return strings.Join(commandNames(cmd), ", ") }

// nArgs asks for a number of arguments.
func nArgs(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < n:
			return usagef(cmd, "missing %s", what)
		case len(args) > n:
			return usagef(cmd, "unexpected argument %q", args[n])
		}
		return nil
	}
}

// print writes what a command has to say, whole.
func (a *app) print(b *bytes.Buffer) error {
	if _, err := a.out.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing the output: %w", err)
	}
	return nil
}
