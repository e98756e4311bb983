package eval

import (
	"archive/zip"
	"compress/gzip"
	"io"
	"os"
	"path"
	"strings"
)

// archived is a dataset inside an archive on this machine.
type archived struct {
	handler string // vsizip or vsigzip
	file    string // the archive
	entry   string // inside a zip, empty for all of it
}

// splitArchive takes the name behind /vsizip/ or /vsigzip/ apart. Where the
// archive does not exist, file is all of it.
func splitArchive(handler, name string) archived {
	if handler == "vsigzip" {
		return archived{handler, name, ""}
	}
	if rest, ok := strings.CutPrefix(name, "{"); ok {
		file, entry, _ := strings.Cut(rest, "}")
		return archived{handler, file, strings.TrimPrefix(entry, "/")}
	}
	for i := 0; i <= len(name); i++ {
		if i < len(name) && name[i] != '/' {
			continue
		}
		if fi, err := os.Stat(name[:i]); err == nil && fi.Mode().IsRegular() {
			return archived{handler, name[:i], strings.TrimPrefix(name[i:], "/")}
		}
	}
	return archived{handler, name, ""}
}

// references are the rasters that a dataset in the archive names. A zip of one
// file may be named without its entry, so all entries that can be meant are
// looked at.
func (a archived) references(uri string) (refs []string, rule string) {
	look := func(open func() (io.ReadCloser, error)) {
		r, err := open()
		if err != nil {
			return // GDAL says why
		}
		defer r.Close()
		var more []string
		if more, rule = textReferences(r, []string{path.Dir(uri)}); rule == "" {
			refs = append(refs, more...)
		}
	}
	if fi, err := os.Stat(a.file); err == nil && !fi.Mode().IsRegular() {
		return nil, "is in an archive that is no regular file"
	}
	if a.handler == "vsigzip" {
		look(func() (io.ReadCloser, error) {
			f, err := os.Open(a.file)
			if err != nil {
				return nil, err
			}
			z, err := gzip.NewReader(f)
			if err != nil {
				f.Close()
				return nil, err
			}
			return struct {
				io.Reader
				io.Closer
			}{z, f}, nil
		})
		return refs, rule
	}
	z, err := zip.OpenReader(a.file)
	if err != nil {
		if _, missing := os.Stat(a.file); missing != nil {
			return nil, ""
		}
		return nil, "is in an archive that cannot be checked"
	}
	defer z.Close()
	for _, f := range z.File {
		if a.entry == "" || strings.EqualFold(strings.Trim(f.Name, "/"), strings.Trim(a.entry, "/")) {
			if look(f.Open); rule != "" {
				return nil, rule
			}
		}
	}
	return refs, rule
}

// textReferences are those of a dataset that is read from its beginning.
func textReferences(r io.Reader, folders []string) (refs []string, rule string) {
	head := make([]byte, textHead)
	n, _ := io.ReadFull(r, head)
	xml, rule := isText(head[:n])
	if !xml {
		return nil, rule
	}
	return references(io.MultiReader(strings.NewReader(string(head[:n])), r), folders)
}
