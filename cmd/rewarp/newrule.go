package main

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"go/build"
	"go/format"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"

	"github.com/spf13/cobra"
)

//go:embed newrule/*.tmpl
var newRuleFiles embed.FS

var newRuleTemplates = template.Must(template.ParseFS(newRuleFiles, "newrule/*.tmpl"))

// newRule is what the templates of new-rule take.
type newRule struct {
	Name    string // of the rule, words between hyphens
	Package string
	File    string // of the cases
}

// newRuleJSON is new-rule --json.
type newRuleJSON struct {
	Rule    string   `json:"rule"`
	Package string   `json:"package"`
	Files   []string `json:"files"`
	Module  string   `json:"module,omitempty"` // the go.mod above, if there is one
}

func (a *app) newRuleCommand() *cobra.Command {
	var dir string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "new-rule NAME", Short: "Write a new rule with its tests, to start from",
		Long: `new-rule writes a package with a rewrite rule that works, a file of cases (trees before and after), and a test that runs
the cases and has the kit try to break the rule on random trees. NAME is words between hyphens, as in fuse-crops.
Without --dir the package's folder is NAME without hyphens. No file is overwritten. docs/writing-a-rule.md goes on from
there.`,
		Example: "  rewarp new-rule join-twins && go test ./jointwins",
		Args:    nArgs(1, "NAME: words between hyphens, such as fuse-crops"),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, folder, err := nameRule(args[0], dir)
			if err != nil {
				return &usageError{err, cmd.CommandPath()}
			}
			files, err := r.write(folder)
			if err != nil {
				return err
			}
			out := newRuleJSON{r.Name, r.Package, files, moduleAbove(folder)}
			if asJSON {
				return a.writeJSON(out)
			}
			return a.print(out.text(folder))
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "the `FOLDER` of the package")
	_ = cmd.MarkFlagDirname("dir")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write what was done as JSON")
	return cmd
}

var (
	ruleName    = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)
	packageName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
)

// nameRule finds names for the package and its files.
func nameRule(name, dir string) (r newRule, folder string, err error) {
	if !ruleName.MatchString(name) || len(name) > 64 {
		return r, "", fmt.Errorf("NAME %q: expected words of small letters and digits between hyphens, such as fuse-crops", name)
	}
	for _, known := range allRules() {
		if known == name {
			return r, "", fmt.Errorf("NAME %q is a built-in rule's; names are unique in a pipeline", name)
		}
	}
	folder = dir
	if folder == "" {
		folder = strings.ReplaceAll(name, "-", "")
	}
	abs, err := filepath.Abs(folder)
	if err != nil {
		return r, "", err
	}
	pkg := strings.ToLower(strings.ReplaceAll(filepath.Base(abs), "-", ""))
	if !packageName.MatchString(pkg) || !usablePackage(pkg) {
		if pkg = strings.ReplaceAll(name, "-", ""); !usablePackage(pkg) {
			pkg += "rule"
		}
	}
	return newRule{Name: name, Package: pkg, File: name}, folder, nil
}

// usablePackage refuses keywords, and the names that the package imports.
func usablePackage(name string) bool {
	switch name {
	case "ast", "rewrite", "rules", "rewritetest", "datadriven", "strings", "testing", "main":
		return false
	}
	return !token.IsKeyword(name) && !strings.HasSuffix(name, "_test")
}

// builtEverywhere reports whether the file base.go belongs to a package on
// every platform: it is no test, and named after no system or processor.
func builtEverywhere(base string) bool {
	nowhere := build.Context{Compiler: "gc", OpenFile: func(string) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("package p\n")), nil
	}}
	ok, err := nowhere.MatchFile("", base+".go")
	return ok && err == nil && !strings.HasSuffix(base, "_test")
}

// write writes the files, all or none.
func (r newRule) write(folder string) (files []string, err error) {
	base := strings.ReplaceAll(r.Name, "-", "_")
	if !builtEverywhere(base) {
		base += "_rule"
	}
	texts := map[string][]byte{}
	for _, f := range []struct{ template, path string }{
		{"rule.go.tmpl", base + ".go"},
		{"rule_test.go.tmpl", base + "_test.go"},
		{"cases.tmpl", filepath.Join("testdata", r.File)},
	} {
		var b bytes.Buffer
		if err := newRuleTemplates.ExecuteTemplate(&b, f.template, r); err != nil {
			return nil, err
		}
		text := b.Bytes()
		if strings.HasSuffix(f.path, ".go") {
			if text, err = format.Source(text); err != nil {
				return nil, err
			}
		}
		path := filepath.Join(folder, f.path)
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s is there already; choose another NAME or --dir", path)
		}
		files, texts[path] = append(files, path), text
	}
	if err := os.MkdirAll(filepath.Join(folder, "testdata"), 0o777); err != nil {
		return nil, err
	}
	for i, path := range files {
		if err := writeFile(path, texts[path]); err != nil {
			for _, done := range files[:i] {
				os.Remove(done)
			}
			return nil, err
		}
	}
	return files, nil
}

// moduleAbove is the go.mod that a folder belongs to.
func moduleAbove(folder string) string {
	dir, err := filepath.Abs(folder)
	if err != nil {
		return ""
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "go.mod")
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

func (n newRuleJSON) text(folder string) *bytes.Buffer {
	var b bytes.Buffer
	for _, f := range n.Files {
		fmt.Fprintf(&b, "wrote %s\n", f)
	}
	b.WriteString("\nnext:\n")
	if n.Module == "" {
		b.WriteString("  go mod init example.com/rules    # there is no module here yet\n")
	}
	target := filepath.ToSlash(folder)
	if !filepath.IsAbs(folder) && !strings.HasPrefix(target, ".") {
		target = "./" + target
	}
	if gomod, err := os.ReadFile(n.Module); err != nil || !bytes.Contains(gomod, []byte("github.com/rewarp/rewarp")) {
		fmt.Fprintf(&b, "  go get github.com/rewarp/rewarp  # or a replace directive, for a checkout\n")
	}
	fmt.Fprintf(&b, "  go mod tidy\n  go test %s\n", target)
	return &b
}
