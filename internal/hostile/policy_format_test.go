package hostile_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/gdalio"
)

// labels are headers of formats that name the file of their samples. Each of
// them leads GDAL to secret/s.tif.
var labels = map[string]string{
	"PDS": `PDS_VERSION_ID = PDS3
RECORD_TYPE = FIXED_LENGTH
RECORD_BYTES = 8
FILE_RECORDS = 8
^IMAGE = "../secret/s.tif"
OBJECT = IMAGE
  LINES = 8
  LINE_SAMPLES = 8
  SAMPLE_TYPE = UNSIGNED_INTEGER
  SAMPLE_BITS = 8
END_OBJECT = IMAGE
END
`,
	"ISIS3": `Object = IsisCube
  Object = Core
    StartByte = 1
    ^Core = "../secret/s.tif"
    Format = BandSequential
    Group = Dimensions
      Samples = 8
      Lines = 8
      Bands = 1
    End_Group
    Group = Pixels
      Type = UnsignedByte
      ByteOrder = Lsb
      Base = 0.0
      Multiplier = 1.0
    End_Group
  End_Object
End_Object
End
`,
}

// TestRestrictFormats: where paths are restricted, formats that may refer to
// other files are not opened, by themselves or as the source of a VRT, whatever
// GDAL says that they refer to.
func TestRestrictFormats(t *testing.T) {
	if gdalio.Version() == "" {
		t.Skip("no GDAL")
	}
	p := newPlace(t)
	policy := eval.Policy{Folders: []string{p.at("data")}}
	for format, text := range labels {
		p.write(t, "data/x.lbl", []byte(text))
		p.write(t, "data/x.vrt", []byte(dataset(simple(`<SourceFilename relativeToVRT="1">x.lbl</SourceFilename>`))))
		if s, err := gdalio.New().Open(bg, p.at("data/x.lbl")); err != nil {
			t.Fatalf("GDAL does not take the file for %s: %v", format, err)
		} else {
			s.Close()
		}
		for _, o := range []eval.Opener{silent{gdalio.New()}, gdalio.New()} {
			r := eval.Restrict(o, policy)
			for _, name := range []string{"data/x.lbl", "data/x.vrt"} {
				_, err := r.Open(bg, p.at(name))
				var refusal *eval.PolicyError
				if !errors.As(err, &refusal) || !strings.Contains(err.Error(), "is of format "+format) {
					t.Errorf("%s: %v, expected a refusal of format %s", name, err, format)
				}
				if _, err := r.Describe(bg, p.at(name)); !errors.As(err, &refusal) {
					t.Errorf("%s is described: %v", name, err)
				}
			}
		}
		// Who names the format takes it upon himself; the files that GDAL lists
		// are checked all the same.
		_, err := eval.Restrict(gdalio.New(gdalio.WithDrivers("VRT", format)), policy).Open(bg, p.at("data/x.lbl"))
		if err == nil || !strings.Contains(err.Error(), "secret/s.tif") {
			t.Errorf("%s, named: %v", format, err)
		}
	}
}

// silent is GDAL, but that it never lists a file.
type silent struct{ *gdalio.Opener }

func (o silent) Confined() eval.Opener { return silent{o.Opener.Confined().(*gdalio.Opener)} }

func (o silent) Files(ctx context.Context, uri string) ([]string, error) {
	_, err := o.Opener.Files(ctx, uri)
	return nil, err
}

// save writes a raster in a format.
func save(t *testing.T, path, format string, b *raster.Buffer) {
	t.Helper()
	w, err := gdalio.Create(bg, path, gdalio.Creation{Size: geom.Size{W: b.W, H: b.H}, Bands: ast.NumberedBands(b.Bands, b.Type), Driver: format})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.WriteWindow(bg, b.Bounds(), b), w.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestRestrictOneFile: a format of single files that is not among the
// self-contained opens once it is named, and not before.
func TestRestrictOneFile(t *testing.T) {
	if gdalio.Version() == "" {
		t.Skip("no GDAL")
	}
	p := newPlace(t)
	b := raster.New(raster.Uint8, 20, 10, 1)
	save(t, p.at("data/x.img"), "HFA", b)
	save(t, p.at("data/x.png"), "PNG", b)
	policy := eval.Policy{Folders: []string{p.at("data")}}
	closed, wide := eval.Restrict(gdalio.New(), policy), eval.Restrict(gdalio.New(gdalio.WithDrivers("HFA")), policy)
	for _, c := range []struct {
		opener eval.Opener
		name   string
		says   string
	}{
		{closed, "data/x.png", ""},
		{closed, "data/x.img", "is of format HFA"},
		{wide, "data/x.img", ""},
		{wide, "data/x.png", "is of format PNG"},
	} {
		s, err := c.opener.Open(bg, p.at(c.name))
		if c.says == "" {
			if err != nil {
				t.Error(err)
				continue
			}
			s.Close()
		} else if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, expected that it %s", c.name, err, c.says)
		}
	}
}
