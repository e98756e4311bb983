package eval

import (
	"encoding/xml"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const (
	// maxXML bounds the text of a dataset that is read to check it.
	maxXML = 64 << 20
	// textHead is how far GDAL may look for the beginning of a VRT.
	textHead = 4096
)

// isText tells from the beginning of a file whether it is XML, which may refer
// to other files. GDAL takes a VRT also behind other text, where no reader of
// XML finds it: that breaks a rule.
func isText(head []byte) (yes bool, rule string) {
	text, _, _ := strings.Cut(string(head), "\x00")
	text = strings.TrimLeft(text, " \t\r\n\ufeff")
	if strings.HasPrefix(text, "<") {
		return true, ""
	}
	if strings.Contains(strings.ToLower(text), "<vrtdataset") {
		return false, "has text before its <VRTDataset>, which cannot be checked"
	}
	return false, ""
}

// references are the rasters that a dataset in XML names: the sources of a VRT.
// Names that are relative to the dataset begin at each of the folders. Other
// XML that leads elsewhere breaks a rule.
//
// GDAL reads XML in its own way: a name may be an element or an attribute, in
// any case. What the two ways read differently is refused.
func references(r io.Reader, folders []string) (refs []string, rule string) {
	limited := &io.LimitedReader{R: r, N: maxXML + 1}
	d := xml.NewDecoder(limited)
	d.Strict = false
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	add := func(ref string, relative bool) {
		if ref = strings.TrimSpace(ref); ref == "" {
			return
		}
		if rest, ok := strings.CutPrefix(ref, ":::BASE:::"); ok {
			ref, relative = rest, true
		}
		if scheme, _, ok := strings.Cut(ref, ":"); !relative || isAbsolute(ref) || ok && isScheme(scheme) {
			refs = append(refs, ref)
			return
		}
		for _, f := range folders {
			refs = append(refs, f+"/"+ref)
		}
	}
	type element struct {
		named    bool // its text is a name
		relative bool
		text     string
	}
	var open []element
	for {
		t, err := d.Token()
		switch {
		case err == io.EOF && limited.N > 0:
			return refs, ""
		case limited.N <= 0:
			return nil, fmt.Sprintf("is more than %d MiB of XML", maxXML>>20)
		case err != nil:
			return nil, "is XML that cannot be checked: " + err.Error()
		}
		switch t := t.(type) {
		case xml.Directive:
			return nil, "is XML that cannot be checked: it has a <!DOCTYPE>"
		case xml.ProcInst:
			if t.Target != "xml" || strings.ContainsAny(string(t.Inst), "<>") {
				return nil, "is XML that cannot be checked: it has a <?" + t.Target + "?>"
			}
		case xml.StartElement:
			if len(open) == 0 && !isDataset(t.Name.Local) {
				return nil, fmt.Sprintf("is XML of kind <%s>, which may lead anywhere", t.Name.Local)
			}
			e := element{named: isName(t), relative: isRelative(t)}
			for _, a := range t.Attr {
				if names(a.Name.Local) {
					add(a.Value, false)
					add(a.Value, true)
				}
			}
			open = append(open, e)
		case xml.CharData:
			if n := len(open); n > 0 && open[n-1].named {
				open[n-1].text += string(t)
			}
		case xml.EndElement:
			if n := len(open); n > 0 {
				if e := open[n-1]; e.named {
					add(e.text, e.relative)
				}
				open = open[:n-1]
			}
		}
	}
}

func isDataset(name string) bool {
	return strings.EqualFold(name, "VRTDataset") || strings.EqualFold(name, "PAMDataset")
}

// isName reports whether the text of an element of a VRT or of GDAL's own
// sidecar is the name of a raster.
func isName(e xml.StartElement) bool {
	if names(e.Name.Local) {
		return true
	}
	switch strings.ToLower(e.Name.Local) {
	case "mdi", "option", "ooi": // entries with a key
		return slices.ContainsFunc(e.Attr, func(a xml.Attr) bool {
			key := strings.ToUpper(a.Value)
			return (strings.EqualFold(a.Name.Local, "key") || strings.EqualFold(a.Name.Local, "name")) &&
				(strings.HasSuffix(key, "_FILE") || strings.HasSuffix(key, "_DATASET") || strings.HasSuffix(key, "_DEM"))
		})
	}
	return false
}

func names(name string) bool {
	switch strings.ToLower(name) {
	case "sourcefilename", "sourcedataset", "cutlinedataset", "filename", "path":
		return true
	}
	return false
}

// isRelative reports whether the name in an element is relative to the VRT. To
// GDAL any number but zero means yes.
func isRelative(e xml.StartElement) bool {
	return slices.ContainsFunc(e.Attr, func(a xml.Attr) bool {
		if !strings.EqualFold(a.Name.Local, "relativeToVRT") {
			return false
		}
		v := strings.TrimLeft(a.Value, " \t\r\n+-")
		end := strings.IndexFunc(v, func(c rune) bool { return c < '0' || c > '9' })
		if end >= 0 {
			v = v[:end]
		}
		n, err := strconv.Atoi(v)
		return n != 0 || err != nil && v != ""
	})
}

// isAbsolute reports whether GDAL takes a name as it is, although it is said to
// be relative.
func isAbsolute(name string) bool {
	return filepath.IsAbs(name) || strings.HasPrefix(name, "/") || strings.HasPrefix(name, `\`) ||
		len(name) > 2 && name[1] == ':' && (name[2] == '/' || name[2] == '\\')
}
