package eval

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rewarp/rewarp/ast"
)

// Policy says which rasters may be opened. The zero Policy allows none.
type Policy struct {
	// Folders may be read from, with everything below them. Symbolic links are
	// followed before a path is compared.
	Folders []string
	// Schemes are allowed in addresses, such as "https" for https://…; what
	// such an address leads to is not checked any further.
	Schemes []string
	// Handlers are GDAL's virtual file systems that may be used, such as
	// "vsizip". A path behind one is checked as any other, so that
	// /vsizip//data/a.zip needs the folder, too. A handler of the network, such
	// as "vsicurl" or "vsis3", stands for whatever it can reach.
	Handlers []string
}

// PolicyError says that a raster, or a file that it refers to, may not be
// opened.
type PolicyError struct {
	URI  string
	From string // the dataset that refers to it, empty where it was asked for itself
	Rule string
}

// Error names the uri and the rule.
func (e *PolicyError) Error() string {
	if e.From != "" {
		return fmt.Sprintf("eval: opening %q is refused: it refers to %q, which %s", e.From, e.URI, e.Rule)
	}
	return fmt.Sprintf("eval: opening %q is refused: it %s", e.URI, e.Rule)
}

// FileLister is implemented by an Opener that knows which files a raster
// refers to: the sources of a VRT, for example.
type FileLister interface {
	Files(ctx context.Context, uri string) ([]string, error)
}

// Confiner is implemented by an Opener that knows formats in which a raster
// may refer to other files. Restrict takes Confined in its place.
type Confiner interface {
	// Confined is an Opener that opens only formats that refer to no other file
	// than their sidecars, and the VRT, whose references a policy reads. Of
	// anything else that it recognizes, its errors are a FormatError.
	Confined() Opener
}

// FormatError says that a raster is of a format that a confined Opener does not
// open.
type FormatError struct{ Format string }

// Error names the format.
func (e *FormatError) Error() string {
	return fmt.Sprintf("it is of format %s, which is not among those that may be opened", e.Format)
}

// Restrict is an Opener that opens what the policy allows, so that no reader
// can pass it by. What a raster refers to is held to the policy as well: the
// sources of a VRT, by its text before GDAL opens it, and what the opener says
// if it is a FileLister. A Confiner is confined, since not all that a format
// refers to can be known beforehand.
func Restrict(o Opener, p Policy) Opener {
	if c, ok := o.(Confiner); ok {
		o = c.Confined()
	}
	r := &restricted{Opener: o, policy: p}
	r.lister, _ = o.(FileLister)
	for _, f := range p.Folders {
		if abs, err := filepath.Abs(f); err == nil {
			r.folders = append(r.folders, resolve(abs))
		}
	}
	return r
}

type restricted struct {
	Opener
	policy  Policy
	folders []string // absolute, without symbolic links
	lister  FileLister
}

// Describe checks and describes.
func (r *restricted) Describe(ctx context.Context, uri string) (ast.Meta, error) {
	if err := r.check(ctx, uri); err != nil {
		return ast.Meta{}, err
	}
	return r.Opener.Describe(ctx, uri)
}

// Open checks and opens.
func (r *restricted) Open(ctx context.Context, uri string) (Source, error) {
	if err := r.check(ctx, uri); err != nil {
		return nil, err
	}
	return r.Opener.Open(ctx, uri)
}

// Files checks and lists.
func (r *restricted) Files(ctx context.Context, uri string) ([]string, error) {
	if err := r.check(ctx, uri); err != nil || r.lister == nil {
		return nil, err
	}
	return r.lister.Files(ctx, uri)
}

// Check is what the opener says of itself.
func (r *restricted) Check(ctx context.Context) ([]string, error) { return checkOpener(ctx, r.Opener) }

func (r *restricted) check(ctx context.Context, uri string) error {
	return r.visit(ctx, uri, "", true, map[string]bool{})
}

// maxReferences bounds the files that one raster may refer to.
const maxReferences = 4096

// visit checks a uri and what it refers to. One that is opened as a raster has
// to be of a format that may be.
func (r *restricted) visit(ctx context.Context, uri, from string, opened bool, seen map[string]bool) error {
	if seen[uri] {
		return nil
	}
	if seen[uri] = true; len(seen) > maxReferences {
		return &PolicyError{uri, from, fmt.Sprintf("is one of more than %d files", maxReferences)}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	t, rule := r.allow(uri)
	if rule != "" {
		return &PolicyError{uri, from, rule}
	}
	refs, rule := t.references(uri)
	if rule != "" {
		return &PolicyError{uri, from, rule}
	}
	for _, ref := range refs {
		if err := r.visit(ctx, ref, uri, true, seen); err != nil {
			return err
		}
	}
	if r.lister == nil {
		return nil
	}
	files, err := r.lister.Files(ctx, uri)
	var format *FormatError
	if opened && errors.As(err, &format) {
		return &PolicyError{uri, from, fmt.Sprintf("is of format %s, which is not among those that may be opened", format.Format)}
	}
	if err != nil {
		// Sidecars are no rasters; the raster itself fails to open later.
		return nil
	}
	for _, f := range files {
		if err := r.visit(ctx, f, uri, false, seen); err != nil {
			return err
		}
	}
	return nil
}

// referent is what a uri names on this machine: a file, an entry of an archive,
// or neither.
type referent struct {
	path    string
	archive *archived
}

func (t referent) references(uri string) (refs []string, rule string) {
	switch {
	case t.archive != nil:
		return t.archive.references(uri)
	case t.path != "":
		return fileReferences(t.path)
	}
	return nil, ""
}

// allow reports the rule that a uri breaks, or none, and what it names.
func (r *restricted) allow(uri string) (t referent, rule string) {
	switch trimmed := strings.TrimLeft(uri, " \t\r\n\ufeff"); {
	case trimmed == "":
		return t, "names nothing"
	case strings.ContainsRune(uri, 0):
		return t, "contains a zero byte"
	case trimmed[0] == '<' || trimmed[0] == '{':
		return t, "is a dataset written out inline"
	}
	if rest, ok := strings.CutPrefix(uri, "/vsi"); ok {
		return r.allowHandler(rest)
	}
	if scheme, rest, ok := strings.Cut(uri, ":"); ok && isScheme(scheme) {
		switch {
		case strings.EqualFold(scheme, "file") && strings.HasPrefix(rest, "//"):
			t.path, rule = r.inside(strings.TrimPrefix(rest, "//"))
			return t, rule
		case !strings.HasPrefix(rest, "//"):
			return t, fmt.Sprintf("begins with %s:, which names a driver (a file of that name is written ./%s)", scheme, uri)
		case !slices.ContainsFunc(r.policy.Schemes, func(s string) bool { return strings.EqualFold(s, scheme) }):
			return t, fmt.Sprintf("has scheme %s, which is not allowed", scheme)
		}
		return t, ""
	}
	t.path, rule = r.inside(uri)
	return t, rule
}

// allowHandler does so for the rest of a uri behind /vsi.
func (r *restricted) allowHandler(rest string) (t referent, rule string) {
	handler, inner, _ := strings.Cut(rest, "/")
	base, _, _ := strings.Cut("vsi"+handler, "?")
	if !slices.Contains(r.policy.Handlers, strings.TrimSuffix(base, "_streaming")) {
		return t, fmt.Sprintf("uses /%s/, which is not an allowed handler", base)
	}
	switch {
	case networked(base), base == "vsimem":
		return t, ""
	case base != "vsizip" && base != "vsigzip":
		return t, fmt.Sprintf("uses /%s/, whose names cannot be checked", base)
	case slices.Contains(strings.Split(inner, "/"), ".."):
		return t, "steps out of an archive by .."
	}
	if unbraced := strings.TrimLeft(inner, "{"); strings.HasPrefix(unbraced, "/vsi") {
		chained, rule := r.allow(unbraced)
		if rule == "" && (chained.archive != nil || chained.path != "") {
			rule = "is an archive inside an archive, which cannot be checked"
		}
		return t, rule
	}
	a := splitArchive(base, inner)
	if _, rule = r.inside(a.file); rule == "" {
		t.archive = &a
	}
	return t, rule
}

func networked(handler string) bool {
	switch strings.TrimSuffix(handler, "_streaming") {
	case "vsicurl", "vsis3", "vsigs", "vsiaz", "vsiadls", "vsioss", "vsiswift", "vsihdfs", "vsiwebhdfs":
		return true
	}
	return false
}

func isScheme(s string) bool {
	if len(s) < 2 || s[0] >= '0' && s[0] <= '9' { // a drive letter, or a time
		return false
	}
	for _, c := range s {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.' || c == '_') {
			return false
		}
	}
	return true
}

// inside reports whether a path lies in an allowed folder.
func (r *restricted) inside(path string) (local, rule string) {
	abs := path
	if !filepath.IsAbs(abs) {
		cwd, err := os.Getwd()
		if err != nil {
			return "", "is not a path"
		}
		abs = cwd + string(filepath.Separator) + abs
	}
	real := resolve(abs)
	for _, f := range r.folders {
		if real == f || strings.HasPrefix(real, strings.TrimSuffix(f, string(filepath.Separator))+string(filepath.Separator)) {
			return path, ""
		}
	}
	return "", "lies outside the allowed folders " + strings.Join(r.policy.Folders, ", ")
}

// resolve follows symbolic links as far as the path exists, as the system does:
// link/.. is the folder above the one that the link leads to.
func resolve(abs string) string {
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		return real
	}
	for i := len(abs) - 1; i >= 0; i-- {
		if !os.IsPathSeparator(abs[i]) {
			continue
		}
		head := abs[:i]
		if filepath.VolumeName(abs) == head {
			head = abs[:i+1] // the root
		}
		if real, err := filepath.EvalSymlinks(head); err == nil {
			return filepath.Join(real, abs[i+1:])
		}
	}
	return filepath.Clean(abs)
}

// fileReferences are the rasters that a file of text names.
func fileReferences(path string) (refs []string, rule string) {
	// Opening a pipe would wait for somebody who writes to it.
	if fi, err := os.Stat(path); err != nil || !fi.Mode().IsRegular() {
		return nil, "" // the opener says why
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, ""
	}
	defer f.Close()
	folders := []string{filepath.Dir(path)}
	// GDAL starts at the folder of what a link leads to.
	if real, err := filepath.EvalSymlinks(path); err == nil && filepath.Dir(real) != folders[0] {
		folders = append(folders, filepath.Dir(real))
	}
	return textReferences(f, folders)
}
