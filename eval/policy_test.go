package eval_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/eval"
)

// trusting opens whatever it is asked for, and remembers it.
type trusting struct {
	asked []string
	files map[string][]string // by base name
}

func (o *trusting) Describe(_ context.Context, uri string) (ast.Meta, error) {
	o.asked = append(o.asked, uri)
	return ast.Meta{}, nil
}

func (o *trusting) Open(_ context.Context, uri string) (eval.Source, error) {
	o.asked = append(o.asked, uri)
	return nil, nil
}

func (o *trusting) Files(_ context.Context, uri string) ([]string, error) {
	return o.files[filepath.Base(uri)], nil
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestRestrict(t *testing.T) {
	root := t.TempDir()
	in := func(name string) string { return filepath.Join(root, "data", name) }
	secret := filepath.Join(root, "secret", "s.tif")
	vrt := func(source string) string {
		return `<VRTDataset rasterXSize="1" rasterYSize="1"><VRTRasterBand dataType="Byte" band="1"><SimpleSource>` +
			source + `<SourceBand>1</SourceBand></SimpleSource></VRTRasterBand></VRTDataset>`
	}
	write(t, in("a.tif"), "II*")
	write(t, in("sidecar.tif"), "II*")
	write(t, secret, "II*")
	write(t, in("good.vrt"), vrt(`<SourceFilename relativeToVRT="1">a.tif</SourceFilename>`))
	write(t, in("bad.vrt"), vrt(`<SourceFilename relativeToVRT="1">../secret/s.tif</SourceFilename>`))
	write(t, in("net.vrt"), vrt(`<SourceFilename>/vsicurl/http://10.0.0.1/x.tif</SourceFilename>`))
	write(t, in("nested.vrt"), "\n "+vrt(`<SourceFilename relativeToVRT="1">bad.vrt</SourceFilename>`))
	write(t, in("wms.xml"), `<GDAL_WMS><Service name="TMS"/></GDAL_WMS>`)
	write(t, in("cut.vrt"), `<VRTDataset><VRTRasterBand`)
	if err := os.Symlink(secret, in("link.tif")); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink(filepath.Join(root, "data"), filepath.Join(root, "alias")); err != nil {
		t.Fatal(err)
	}

	tests := []struct {
		uri, rule string // rule is empty where the uri may be opened
	}{
		{in("a.tif"), ""},
		{in("missing.tif"), ""},
		{"file://" + in("a.tif"), ""},
		{filepath.Join(root, "alias", "a.tif"), ""},
		{in("../data/a.tif"), ""},
		{in("good.vrt"), ""},
		{"https://example.org/a.tif", ""},
		{"/vsizip/" + in("b.zip") + "/x.tif", ""},
		{"/vsizip/{" + in("b.zip") + "}/x.tif", ""},

		{secret, "lies outside the allowed folders"},
		{in("../secret/s.tif"), "lies outside"},
		{in("link.tif"), "lies outside"},
		{filepath.Join(root, "database", "x.tif"), "lies outside"},
		{"", "names nothing"},
		{"http://example.org/a.tif", "has scheme http"},
		{"/vsicurl/https://example.org/a.tif", "uses /vsicurl/"},
		{"/vsicurl_streaming/https://example.org/a.tif", "uses /vsicurl_streaming/"},
		{"/vsicurl?url=http://example.org", "uses /vsicurl/"},
		{"/vsizip/" + secret, "lies outside"},
		{"/vsizip//vsicurl/http://example.org/a.zip", "uses /vsicurl/"},
		{vrt(""), "written out inline"},
		{" \n" + vrt(""), "written out inline"},
		{"WMS:http://example.org", "names a driver"},
		{"vrt:///etc/passwd", "has scheme vrt"},
		{"NETCDF:" + secret + ":v", "names a driver"},
		{in("bad.vrt"), `/data/../secret/s.tif", which lies outside`},
		{in("net.vrt"), "uses /vsicurl/"},
		{in("nested.vrt"), "lies outside"},
		{in("wms.xml"), "XML of kind <GDAL_WMS>"},
		{in("cut.vrt"), "cannot be checked"},
		{in("sidecar.tif"), "uses /vsis3/"},
	}
	for _, c := range tests {
		o := &trusting{files: map[string][]string{
			"sidecar.tif": {in("sidecar.tif"), "/vsis3/bucket/x.ovr"},
			"a.tif":       {in("a.tif")},
		}}
		r := eval.Restrict(o, eval.Policy{Folders: []string{filepath.Join(root, "data")}, Schemes: []string{"https"}, Handlers: []string{"vsizip"}})
		_, err := r.Open(context.Background(), c.uri)
		if _, derr := r.Describe(context.Background(), c.uri); (derr == nil) != (err == nil) {
			t.Errorf("%q: Open gives %v, Describe %v", c.uri, err, derr)
		}
		if c.rule == "" {
			if err != nil || len(o.asked) != 2 {
				t.Errorf("%q: %v", c.uri, err)
			}
			continue
		}
		var p *eval.PolicyError
		if !errors.As(err, &p) || !strings.Contains(err.Error(), c.rule) || len(o.asked) > 0 {
			t.Errorf("%q: %v, expected that it %s; asked for %q", c.uri, err, c.rule, o.asked)
		}
	}
	if _, err := eval.Restrict(&trusting{}, eval.Policy{}).Open(context.Background(), in("a.tif")); err == nil {
		t.Error("the zero policy allows a file")
	}
}
