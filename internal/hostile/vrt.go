package hostile

import "fmt"

// vrt is a VRT of one band with the given content.
func vrt(w, h int, kind, inside string) string {
	return fmt.Sprintf(`<VRTDataset rasterXSize="%d" rasterYSize="%d"><VRTRasterBand dataType="Byte" band="1"%s>%s</VRTRasterBand></VRTDataset>`,
		w, h, kind, inside)
}

// source is a band of a file, the whole of it.
func source(file string, relative string) string {
	return fmt.Sprintf(`<SimpleSource><SourceFilename relativeToVRT="%s">%s</SourceFilename><SourceBand>1</SourceBand></SimpleSource>`,
		relative, file)
}

// Port 9 of this machine is where nobody listens.
const nobody = "/vsicurl/http://127.0.0.1:9/"

func vrts() []File {
	simple := func(file, relative string) []byte { return []byte(vrt(side, side, "", source(file, relative))) }
	python := `<PixelFunctionType>f</PixelFunctionType><PixelFunctionLanguage>Python</PixelFunctionLanguage><PixelFunctionCode><![CDATA[
def f(in_ar, out_ar, xoff, yoff, xsize, ysize, raster_xsize, raster_ysize, buf_radius, gt, **kwargs):
    open('escaped', 'w')
]]></PixelFunctionCode>` + source("tiff-loop.tif", "1")
	raw := `<SourceFilename relativeToVRT="0">/etc/passwd</SourceFilename><ImageOffset>0</ImageOffset><PixelOffset>1</PixelOffset><LineOffset>10</LineOffset>`
	return []File{
		{"vrt-expansion.vrt", []byte(`<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]>` + vrt(side, side, "", source("&a;", "1"))), NoOpen, NoOpen},
		{"vrt-huge.vrt", simpleOf(1<<31-1, "tiff-loop.tif"), Reads, NoOpen},
		{"vrt-malformed.vrt", []byte(`<VRTDataset rasterXSize="40" rasterYSize="40"><VRTRasterBand`), NoOpen, NoOpen},
		{"vrt-missing.vrt", simple("no-such-file.tif", "1"), NoRead, NoOpen},
		{"vrt-mutual-a.vrt", simple("vrt-mutual-b.vrt", "1"), NoRead, NoOpen},
		{"vrt-mutual-b.vrt", simple("vrt-mutual-a.vrt", "1"), NoRead, NoOpen},
		{"vrt-negative.vrt", []byte(vrt(-5, side, "", "")), NoOpen, NoOpen},
		{"vrt-network.vrt", simple(nobody+"x.tif", "0"), NoRead, NoOpen},
		{"vrt-outside.vrt", simple("../../../../../../../../etc/passwd", "1"), NoRead, NoOpen},
		{"vrt-python.vrt", []byte(vrt(side, side, ` subClass="VRTDerivedRasterBand"`, python)), NoRead, NoOpen},
		{"vrt-raw.vrt", []byte(vrt(side, side, ` subClass="VRTRawRasterBand"`, raw)), Reads, NoOpen},
		{"vrt-self.vrt", simple("vrt-self.vrt", "1"), NoRead, NoOpen},
	}
}

func simpleOf(n int, file string) []byte { return []byte(vrt(n, n, "", source(file, "1"))) }
