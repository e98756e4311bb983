package archtest

import (
	"go/ast"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// TestDocComments asks for a package comment in every package, and a doc comment on everything exported from it: types,
// functions, methods, the methods of interfaces, and constants and variables, where one comment may serve a group.
// A symbol that build constraints declare several times needs it once.
func TestDocComments(t *testing.T) {
	pkgs, fset := module(t)
	for _, p := range sorted(pkgs) {
		if len(p.files) == 0 {
			continue
		}
		if !slices.ContainsFunc(p.files, func(f *ast.File) bool { return f.Doc.Text() != "" }) {
			t.Errorf("%s has no package comment; say in one file what it is for", p.name())
		}
		if public(p) && !onPage(p, fset) {
			t.Errorf("%s has no doc.go whose package comment has several paragraphs", p.name())
		}
		found := exported(p.files, fset)
		for _, name := range slices.Sorted(maps.Keys(found)) {
			if s := found[name]; !s.documented {
				at := fset.Position(s.pos)
				t.Errorf("%s/%s:%d: %s has no doc comment", p.dir, filepath.Base(at.Filename), at.Line, name)
			}
		}
	}
}

// public reports whether others import a package.
func public(p *pkg) bool {
	return p.files[0].Name.Name != "main" && !slices.Contains(strings.Split(p.dir, "/"), "internal")
}

// onPage reports whether doc.go says what a package is for, on its page.
func onPage(p *pkg, fset *token.FileSet) bool {
	return slices.ContainsFunc(p.files, func(f *ast.File) bool {
		return filepath.Base(fset.Position(f.Pos()).Filename) == "doc.go" && strings.Count(f.Doc.Text(), "\n\n") > 0
	})
}

// An adder notes a symbol, whose name in messages begins with prefix, and the comments that may document it.
type adder func(name *ast.Ident, prefix string, comments ...*ast.CommentGroup)

// A symbol is something that a package exports.
type symbol struct {
	pos        token.Pos
	documented bool
}

// exported collects the exported symbols of a package by name, methods as Type.Method.
func exported(files []*ast.File, fset *token.FileSet) map[string]symbol {
	found := map[string]symbol{}
	add := func(name *ast.Ident, prefix string, comments ...*ast.CommentGroup) {
		if !name.IsExported() {
			return
		}
		s, ok := found[prefix+name.Name]
		if !ok {
			s.pos = name.Pos()
		}
		for _, c := range comments {
			// Text drops directives such as //go:noescape.
			s.documented = s.documented || c.Text() != ""
		}
		found[prefix+name.Name] = s
	}
	for _, file := range files {
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Recv == nil {
					add(decl.Name, "", decl.Doc)
				} else if receiver := typeName(decl.Recv.List[0].Type); receiver.IsExported() {
					add(decl.Name, receiver.Name+".", decl.Doc)
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					switch spec := spec.(type) {
					case *ast.ValueSpec:
						for _, name := range spec.Names {
							add(name, "", decl.Doc, spec.Doc, spec.Comment)
						}
					case *ast.TypeSpec:
						doc := spec.Doc
						if doc == nil && len(decl.Specs) == 1 {
							doc = decl.Doc
						}
						add(spec.Name, "", doc, spec.Comment)
						addMethods(spec, doc, func(pos token.Pos) int { return fset.Position(pos).Line }, add)
					}
				}
			}
		}
	}
	return found
}

// addMethods adds the methods of an exported interface type. A method counts as documented where the comment of the
// interface names it or has no other to speak of, and where it stands directly below one whose comment serves both.
func addMethods(spec *ast.TypeSpec, doc *ast.CommentGroup, line func(token.Pos) int, add adder) {
	iface, ok := spec.Type.(*ast.InterfaceType)
	if !ok || !spec.Name.IsExported() {
		return
	}
	words := strings.FieldsFunc(doc.Text(), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	var above *ast.CommentGroup
	end := 0
	for _, method := range iface.Methods.List {
		if method.Doc != nil || line(method.Pos()) != end+1 {
			above = method.Doc
		}
		end = line(method.End())
		for _, name := range method.Names {
			comments := []*ast.CommentGroup{above, method.Comment}
			if iface.Methods.NumFields() == 1 || slices.Contains(words, name.Name) {
				comments = append(comments, doc)
			}
			add(name, spec.Name.Name+".", comments...)
		}
	}
}

// typeName is the name in a receiver's type: T of T, *T and *T[K].
func typeName(expr ast.Expr) *ast.Ident {
	for {
		switch e := expr.(type) {
		case *ast.StarExpr:
			expr = e.X
		case *ast.ParenExpr:
			expr = e.X
		case *ast.IndexExpr:
			expr = e.X
		case *ast.IndexListExpr:
			expr = e.X
		case *ast.Ident:
			return e
		default:
			return ast.NewIdent("_")
		}
	}
}
