package archtest

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const modulePath = "github.com/rewarp/rewarp"

// A pkg is what the files of one folder say, whatever their build constraints: an arrow that points the wrong way on
// one platform only is still wrong.
type pkg struct {
	dir         string // relative to the module's root, slashes; "." is the root package
	files       []*ast.File
	imports     []string // of the files that are no tests
	testImports []string
}

// name is how messages call the package.
func (p *pkg) name() string {
	if p.dir == "." {
		return "the root package"
	}
	return p.dir
}

// module parses the packages of the module that this test is in, by folder. Nested modules and folders that the go
// command passes over are not part of it.
func module(t *testing.T) (map[string]*pkg, *token.FileSet) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	pkgs := map[string]*pkg{}
	err = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := entry.Name()
		if entry.IsDir() {
			if name == root {
				return nil
			}
			if base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
				return fs.SkipDir
			}
			if _, err := os.Stat(filepath.Join(name, "go.mod")); !errors.Is(err, fs.ErrNotExist) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(base, ".go") || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
			return nil
		}
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if ignored(file) {
			return nil
		}
		dir, err := filepath.Rel(root, filepath.Dir(name))
		if err != nil {
			return err
		}
		dir = filepath.ToSlash(dir)
		p := pkgs[dir]
		if p == nil {
			p = &pkg{dir: dir}
			pkgs[dir] = p
		}
		var imports []string
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			imports = append(imports, imported)
		}
		if strings.HasSuffix(base, "_test.go") {
			p.testImports = append(p.testImports, imports...)
			return nil
		}
		p.files = append(p.files, file)
		p.imports = append(p.imports, imports...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pkgs {
		p.imports = distinct(p.imports)
		p.testImports = distinct(p.testImports)
	}
	return pkgs, fset
}

// ignored tells whether a file is a program of its own beside a package, such as a generator.
func ignored(file *ast.File) bool {
	for _, group := range file.Comments {
		if group.Pos() > file.Package {
			break
		}
		for _, line := range group.List {
			if line.Text == "//go:build ignore" {
				return true
			}
		}
	}
	return false
}

// local turns an import path into a folder of the module.
func local(importPath string) (dir string, ok bool) {
	if importPath == modulePath {
		return ".", true
	}
	return strings.CutPrefix(importPath, modulePath+"/")
}

func distinct(s []string) []string {
	slices.Sort(s)
	return slices.Compact(s)
}

// matches tells whether a folder is one of the patterns. As for the go command, "x/..." is x and all below it.
func matches(dir string, patterns ...string) bool {
	for _, pattern := range patterns {
		above, tree := strings.CutSuffix(pattern, "/...")
		if dir == above || tree && strings.HasPrefix(dir, above+"/") {
			return true
		}
	}
	return false
}

// sorted returns the packages in the order of their folders.
func sorted(pkgs map[string]*pkg) []*pkg {
	var list []*pkg
	for _, p := range pkgs {
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b *pkg) int { return strings.Compare(path.Clean(a.dir), path.Clean(b.dir)) })
	return list
}
