package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rewarp/rewarp"
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/gdalio"
	"github.com/rewarp/rewarp/rewrite"
	"github.com/rewarp/rewarp/rules"
)

// choice is a flag with a fixed set of values.
type choice struct {
	value   string
	allowed []string
}

func (c *choice) String() string { return c.value }
func (c *choice) Type() string   { return strings.Join(c.allowed, "|") }

func (c *choice) Set(v string) error {
	if !slices.Contains(c.allowed, v) {
		return fmt.Errorf("expected one of %s%s", strings.Join(c.allowed, ", "), didYouMean(v, c.allowed))
	}
	c.value = v
	return nil
}

// addChoice adds a flag, and its completion.
func addChoice(cmd *cobra.Command, c *choice, name, usage string) {
	cmd.Flags().Var(c, name, usage)
	complete(cmd, name, func() []string { return c.allowed })
}

func complete(cmd *cobra.Command, name string, values func() []string) {
	// The only errors are of flags that are not there.
	_ = cmd.RegisterFlagCompletionFunc(name, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return values(), cobra.ShellCompDirectiveNoFileComp
	})
}

// fidelityFlag is --max-fidelity.
type fidelityFlag struct{ choice }

func (f *fidelityFlag) add(cmd *cobra.Command, usage string) {
	f.choice = choice{ast.Resolution.String(), nil}
	for v := ast.Exact; v <= ast.Resolution; v++ {
		f.allowed = append(f.allowed, v.String())
	}
	addChoice(cmd, &f.choice, "max-fidelity", usage)
}

func (f *fidelityFlag) get() ast.Fidelity {
	v, err := ast.ParseFidelity(f.value)
	if err != nil {
		return ast.Resolution // Set lets nothing else in
	}
	return v
}

// dtypeFlag is --dtype.
type dtypeFlag struct{ choice }

func (f *dtypeFlag) add(cmd *cobra.Command, usage string) {
	for t := raster.Uint8; t <= raster.Float64; t++ {
		f.allowed = append(f.allowed, t.String())
	}
	addChoice(cmd, &f.choice, "dtype", usage)
}

func (f *dtypeFlag) get() raster.DataType {
	t, err := raster.ParseDataType(f.value)
	if err != nil {
		return raster.Unknown // left out
	}
	return t
}

// rewriteFlags choose the rules that rewrite a tree.
type rewriteFlags struct {
	sourceFlags
	scriptFlags
	fidelity fidelityFlag
	without  ruleNames
	command  *cobra.Command
}

func (f *rewriteFlags) add(cmd *cobra.Command) {
	f.command = cmd
	f.sourceFlags.add(cmd)
	f.scriptFlags.add(cmd)
	f.fidelity.add(cmd, "how far rewriting may depart from the tree as it stands")
	cmd.Flags().Var(&f.without, "no-rule", "disable a rule by name (repeatable)")
	complete(cmd, "no-rule", allRules)
}

// pipeline is the rules under the flags: the built-in ones, behind those of
// scripts.
func (f *rewriteFlags) pipeline(ctx context.Context, more ...rewrite.Option) (*rewrite.Pipeline, error) {
	all, err := f.compile(ctx, append([]rewrite.Option{rewrite.MaxFidelity(f.fidelity.get())}, more...)...)
	if err != nil || len(f.without.names) == 0 {
		return all, err
	}
	for _, name := range f.without.names {
		if err := knownRule(all, name); err != nil {
			return nil, usagef(f.command, "--no-rule %q: %v", name, err)
		}
	}
	return all.With(rewrite.Without(f.without.names...))
}

// sourceFlags choose which rasters may be opened.
type sourceFlags struct{ allow, formats []string }

func (f *sourceFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.allow, "allow", nil, "open rasters below this `FOLDER` only, also where one refers to another (repeatable)")
	_ = cmd.MarkFlagDirname("allow")
	cmd.Flags().StringArrayVar(&f.formats, "allow-format", nil,
		"with --allow, also open this `FORMAT` of GDAL, although it may refer to other files (repeatable)")
	complete(cmd, "allow-format", readers)
}

// readers are the formats that GDAL opens.
func readers() []string {
	var names []string
	for _, d := range gdalio.Drivers() {
		names = append(names, d.Name)
	}
	return names
}

func (f *sourceFlags) opener() eval.Opener {
	if len(f.allow) == 0 {
		return rewarp.NewOpener()
	}
	o := rewarp.NewOpener()
	if len(f.formats) > 0 && rewarp.HasGDAL() {
		o = gdalio.New(gdalio.WithDrivers(append(gdalio.SelfContained(), f.formats...)...))
	}
	return eval.Restrict(o, eval.Policy{Folders: f.allow})
}

// session is a session whose trees are rewritten under the flags, and under the
// cap of each plan.
func (f *rewriteFlags) session(ctx context.Context, opener eval.Opener, more ...eval.Option) (*eval.Session, error) {
	p, err := f.pipeline(ctx)
	if err != nil {
		return nil, err
	}
	opts := []eval.Option{eval.WithOpener(opener), eval.WithOptimizer(rewarp.Optimizer(p)), eval.WithMaxFidelity(f.fidelity.get())}
	return rewarp.Open(ctx, append(opts, more...)...)
}

// ruleNames is a repeatable flag of names of rules.
type ruleNames struct{ names []string }

func (r *ruleNames) String() string { return strings.Join(r.names, ",") }
func (r *ruleNames) Type() string   { return "NAME" }

func (r *ruleNames) Set(v string) error {
	r.names = append(r.names, strings.Split(v, ",")...)
	return nil
}

// knownRule is an error where a pipeline has no rule of that name.
func knownRule(p *rewrite.Pipeline, name string) error {
	if all := namesOf(p); !slices.Contains(all, name) {
		return fmt.Errorf("no such rule, rewarp rules lists them%s", didYouMean(name, all))
	}
	return nil
}

func namesOf(p *rewrite.Pipeline) []string {
	var names []string
	for _, r := range p.Rules() {
		names = append(names, r.Rule.Name())
	}
	return names
}

func allRules() []string { return namesOf(rules.Default()) }

var (
	unknownFlag = regexp.MustCompile(`^unknown flag: --([^ =]*)`)
	// pflag quotes a value that a flag refuses, with the flag's short form.
	invalidValue = regexp.MustCompile(`(?s)^invalid argument "(.*)" for "(?:-., )?(--[^"]*)" flag: (.*)$`)
)

// flagError says what is wrong with a flag in rewarp's words.
func flagError(cmd *cobra.Command, err error) error {
	text := err.Error()
	if m := unknownFlag.FindStringSubmatch(text); m != nil {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		return usagef(cmd, "unknown flag --%s%s", m[1], didYouMean("--"+m[1], names))
	}
	if m := invalidValue.FindStringSubmatch(text); m != nil {
		return usagef(cmd, "%s %q: %s", m[2], m[1], invalid(cmd, strings.TrimPrefix(m[2], "--"), m[3]))
	}
	var missing *pflag.ValueRequiredError
	if errors.As(err, &missing) {
		f := missing.GetFlag()
		name := "--" + f.Name
		if missing.GetSpecifiedShortnames() != "" {
			name = "-" + f.Shorthand
		}
		what, _ := pflag.UnquoteUsage(f)
		return usagef(cmd, "%s needs a value: %s", name, what)
	}
	var shorthand *pflag.NotExistError
	if errors.As(err, &shorthand) {
		return usagef(cmd, "unknown flag -%s", shorthand.GetSpecifiedName())
	}
	return &usageError{err, cmd.CommandPath()}
}

// invalid says what a flag takes where the reason is that of a number's parser.
func invalid(cmd *cobra.Command, name, reason string) string {
	if !strings.HasPrefix(reason, "strconv.") {
		return reason
	}
	expected := "a number"
	if f := cmd.Flags().Lookup(name); f != nil {
		switch f.Value.Type() {
		case "int":
			expected = "a whole number"
		case "uint", "uint64":
			expected = "a whole number of 0 or more"
		}
	}
	if strings.HasSuffix(reason, strconv.ErrRange.Error()) {
		expected = "a smaller number"
	}
	return "expected " + expected
}
