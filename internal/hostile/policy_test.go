package hostile_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/eval/imagefile"
	"github.com/rewarp/rewarp/gdalio"
	"github.com/rewarp/rewarp/internal/hostile"
)

// place is a folder that may be read beside one that must not be, and a server
// that nobody may call.
type place struct {
	root   string
	net    string // address of the server
	called atomic.Int64
}

func newPlace(t *testing.T) *place {
	t.Helper()
	quiet(t)
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{root: root}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { l.Close() })
	p.net = l.Addr().String()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			p.called.Add(1)
			c.Close()
		}
	}()
	good, err := os.ReadFile("../../testdata/oracle/src/u8.tif")
	if err != nil {
		t.Fatal(err)
	}
	p.write(t, "data/good.tif", good)
	p.write(t, "secret/s.tif", good)
	return p
}

func (p *place) at(name string) string { return p.root + "/" + name }

func (p *place) write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(p.at(name)), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.at(name), data, 0o666); err != nil {
		t.Fatal(err)
	}
}

func (p *place) link(t *testing.T, to, name string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(p.at(name)), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(to, p.at(name)); err != nil {
		t.Skip(err)
	}
}

// dataset is a VRT of 61 × 47 pixels.
func dataset(inside string) string {
	return `<VRTDataset rasterXSize="61" rasterYSize="47"><VRTRasterBand dataType="Byte" band="1">` + inside + `</VRTRasterBand></VRTDataset>`
}

func simple(name string) string {
	return `<SimpleSource>` + name + `<SourceBand>1</SourceBand></SimpleSource>`
}

// vrts are ways to name another file from a VRT; %s is the name, absolute.
// Each of them leads GDAL to that file.
var vrts = map[string]string{
	"plain":         dataset(simple(`<SourceFilename>%s</SourceFilename>`)),
	"relative":      dataset(simple(`<SourceFilename relativeToVRT="1">%s</SourceFilename>`)),
	"relative-2":    dataset(simple(`<SourceFilename RELATIVETOVRT="2">%s</SourceFilename>`)),
	"lower-case":    dataset(simple(`<sourcefilename>%s</sourcefilename>`)),
	"attribute":     dataset(`<SimpleSource SourceFilename="%s"><SourceBand>1</SourceBand></SimpleSource>`),
	"cdata":         dataset(simple(`<!-- <SourceFilename>good.tif</SourceFilename> --><SourceFilename><![CDATA[%s]]></SourceFilename>`)),
	"entity":        dataset(simple(`<SourceFilename>&#x2f;%[1]s</SourceFilename>`)),
	"behind-text":   "hello " + dataset(simple(`<SourceFilename>%s</SourceFilename>`)),
	"behind-bom":    "\xef\xbb\xbf\xef\xbb\xbfhello " + dataset(simple(`<SourceFilename>%s</SourceFilename>`)),
	"second-root":   "<PAMDataset/>" + dataset(simple(`<SourceFilename>%s</SourceFilename>`)),
	"doctype":       "<!DOCTYPE x>" + dataset(simple(`<SourceFilename>%s</SourceFilename>`)),
	"overview":      dataset(`<Overview><SourceFilename>%[1]s</SourceFilename><SourceBand>1</SourceBand></Overview>` + simple(`<SourceFilename>%[1]s</SourceFilename>`)),
	"raw":           `<VRTDataset rasterXSize="61" rasterYSize="47"><VRTRasterBand dataType="Byte" band="1" subClass="VRTRawRasterBand"><SourceFilename>%s</SourceFilename></VRTRasterBand></VRTDataset>`,
	"overview-file": `<VRTDataset rasterXSize="61" rasterYSize="47"><Metadata domain="OVERVIEWS"><MDI key="OVERVIEW_FILE">%[1]s</MDI></Metadata><VRTRasterBand dataType="Byte" band="1">` + simple(`<SourceFilename>%[1]s</SourceFilename>`) + `</VRTRasterBand></VRTDataset>`,
	"warped": `<VRTDataset rasterXSize="61" rasterYSize="47" subClass="VRTWarpedDataset"><VRTRasterBand dataType="Byte" band="1" subClass="VRTWarpedRasterBand"/>` +
		`<GDALWarpOptions SourceDataset="%s"><BandList><BandMapping src="1" dst="1"/></BandList><Transformer><GenImgProjTransformer><SrcGeoTransform>0,1,0,0,0,1</SrcGeoTransform>` +
		`<SrcInvGeoTransform>0,1,0,0,0,1</SrcInvGeoTransform><DstGeoTransform>0,1,0,0,0,1</DstGeoTransform><DstInvGeoTransform>0,1,0,0,0,1</DstInvGeoTransform></GenImgProjTransformer></Transformer></GDALWarpOptions></VRTDataset>`,
}

// TestNothingEscapes asks for what lies elsewhere by every name that it has.
// The openers are real, so a name that the policy misreads would be opened.
func TestNothingEscapes(t *testing.T) {
	p := newPlace(t)
	secret := p.at("secret/s.tif")
	remote := "/vsicurl/http://" + p.net + "/x.tif"
	refused := []string{
		secret, p.at("data/../secret/s.tif"), p.at("data2/s.tif"), "file://" + secret, "", "\x00", p.at("data/a\x00.tif"),
		"http://" + p.net + "/x.tif", "HTTP://" + p.net + "/x.tif", remote, "/vsicurl_streaming/http://" + p.net + "/x.tif", "/vsicurl?url=http://" + p.net,
		"/vsis3/b/x.tif", "/vsigs/b/x.tif", "/vsistdin/", "/vsisubfile/0_100," + secret, "/vsicrypt/key=x,file=" + secret, "/vsisparse/" + p.at("data/x.xml"),
		"/vsitar/" + p.at("data/x.tar") + "/s.tif", "/vsizip/" + secret, "/vsizip/" + remote, "/vsizip/{" + secret + "}/x",
		"/vsizip/" + p.at("secret/z.zip") + "/../../data/good.tif", "/vsizip/{" + p.at("secret/z.zip") + "}/../../data/good.tif",
		"/vsizip//vsizip/" + p.at("data/z.zip") + "/z.zip/x.tif", "/vsigzip/" + secret,
		"vrt://" + secret, "VRT://" + secret + "?bands=1", "GTIFF_DIR:1:" + secret, "gtiff_dir:1:" + secret, "NETCDF:" + secret + ":v", `NETCDF:"` + secret + `":v`,
		"HDF5:" + secret + "://x", "NITF_IM:0:" + secret, "PG:host=127.0.0.1 port=9 dbname=x", "MySQL:x,host=127.0.0.1", "WMS:http://" + p.net, "WCS:http://" + p.net,
		"DERIVED_SUBDATASET:AMPLITUDE:" + secret, "ZARR:" + secret, "PLMOSAIC:x", "RASTERLITE2:" + secret,
		"{\"type\":\"Feature\"}", "  <VRTDataset/>", "\ufeff<VRTDataset/>",
		"<GDAL_WMS><Service name=\"TMS\"><ServerUrl>http://" + p.net + "/</ServerUrl></Service></GDAL_WMS>",
	}
	for name, text := range vrts {
		for kind, to := range map[string]string{"file": secret, "net": remote} {
			path := fmt.Sprintf("data/%s-%s.vrt", name, kind)
			p.write(t, path, fmt.Appendf(nil, text, to))
			refused = append(refused, p.at(path))
			if kind == "file" && gdalio.Version() != "" {
				if far, err := read(gdalio.New(), p.at(path)); far != hostile.Reads {
					t.Errorf("GDAL does not follow %s, which then proves nothing: %v", name, err)
				}
			}
		}
		refused = append(refused, fmt.Sprintf(text, secret)) // inline
	}
	rel := dataset(simple(`<SourceFilename relativeToVRT="1">../secret/s.tif</SourceFilename>`))
	p.write(t, "data/up.vrt", []byte(rel))
	p.link(t, "../../../up.vrt", "data/a/b/c/up.vrt") // GDAL starts at the link's target
	p.write(t, "data/driver.vrt", []byte(dataset(simple(`<SourceFilename relativeToVRT="1">NITF_IM:0:../secret/s.tif</SourceFilename>`))))
	p.write(t, "data/nested.vrt", []byte(dataset(simple(`<SourceFilename relativeToVRT="1">up.vrt</SourceFilename>`))))
	p.write(t, "data/inline.vrt", []byte(dataset(simple(`<SourceFilename><![CDATA[`+fmt.Sprintf(vrts["plain"], secret)+`]]></SourceFilename>`))))
	p.write(t, "data/wms.xml", []byte("<GDAL_WMS><Service name=\"TMS\"><ServerUrl>http://"+p.net+"/</ServerUrl></Service></GDAL_WMS>"))
	p.link(t, secret, "data/link.tif")
	p.link(t, p.at("secret"), "data/folder")
	p.link(t, p.at("secret/deep"), "data/deep")
	p.write(t, "secret/deep/x.tif", nil)
	p.write(t, "data/z.zip", zipped(t, "x.vrt", fmt.Sprintf(vrts["plain"], remote)))
	p.write(t, "data/z.vrt.gz", gzipped(t, fmt.Sprintf(vrts["plain"], secret)))
	for _, name := range []string{"up.vrt", "a/b/c/up.vrt", "driver.vrt", "nested.vrt", "inline.vrt", "wms.xml", "link.tif", "folder/s.tif",
		"deep/../s.tif"} { // the folder above the one that the link leads to
		refused = append(refused, p.at("data/"+name))
	}
	refused = append(refused, "/vsizip/"+p.at("data/z.zip")+"/x.vrt", "/vsizip/"+p.at("data/z.zip"), "/vsizip/{"+p.at("data/z.zip")+"}/x.vrt", "/vsigzip/"+p.at("data/z.vrt.gz"))

	policy := eval.Policy{Folders: []string{p.at("data")}}
	wide := eval.Policy{Folders: policy.Folders, Handlers: []string{"vsizip", "vsigzip", "vsitar", "vsisubfile", "vsicrypt", "vsisparse"}}
	for _, o := range []eval.Opener{gdalio.New(), imagefile.New()} {
		for _, r := range []eval.Opener{eval.Restrict(o, policy), eval.Restrict(o, wide)} {
			for _, uri := range refused {
				_, err := r.Describe(bg, uri)
				var refusal *eval.PolicyError
				if !errors.As(err, &refusal) {
					t.Errorf("%T describes %.200q: %v", o, uri, err)
				}
				s, err := r.Open(bg, uri)
				if !errors.As(err, &refusal) {
					t.Errorf("%T opens %.200q: %v", o, uri, err)
				}
				if err == nil {
					s.Close()
				}
			}
		}
	}
	if n := p.called.Load(); n > 0 {
		t.Errorf("%d requests reached the network", n)
	}
}

// TestRestrictLets opens what the policy allows.
func TestRestrictLets(t *testing.T) {
	if gdalio.Version() == "" {
		t.Skip("no GDAL")
	}
	p := newPlace(t)
	tif, err := os.ReadFile(p.at("data/good.tif"))
	if err != nil {
		t.Fatal(err)
	}
	p.write(t, "data/good.vrt", []byte(`<?xml version="1.0"?>`+dataset(simple(`<SourceFilename relativeToVRT="1" shared="0">good.tif</SourceFilename>`))))
	p.write(t, "data/sub/up.vrt", []byte(dataset(simple(`<SourceFilename relativeToVRT="1">../good.tif</SourceFilename>`))))
	p.write(t, "data/z.zip", zipped(t, "x.tif", string(tif)))
	p.write(t, "data/10:20.tif", tif)
	p.link(t, p.at("data"), "alias")
	r := eval.Restrict(gdalio.New(), eval.Policy{Folders: []string{p.at("data")}, Handlers: []string{"vsizip"}})
	for _, uri := range []string{
		p.at("data/good.tif"), p.at("data/good.vrt"), p.at("data/sub/up.vrt"), p.at("data/sub/../good.tif"), p.at("alias/good.tif"),
		p.at("data/10:20.tif"), "/vsizip/" + p.at("data/z.zip") + "/x.tif", "/vsizip/{" + p.at("data/z.zip") + "}/x.tif",
	} {
		s, err := r.Open(bg, uri)
		if err != nil {
			t.Error(err)
			continue
		}
		if err := s.ReadWindow(bg, 0, s.Meta().Size.Bounds(), []int{0}, &raster.Buffer{}); err != nil {
			t.Error(err)
		}
		s.Close()
	}
}

func zipped(t *testing.T, name, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := strings.NewReader(text).WriteTo(w); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gzipped(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
