package vrt_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/gdalio/vrt"
)

// Texts that are large, deep or about something else are refused soon.
func TestReadLimits(t *testing.T) {
	inline := `<VRTDataset rasterXSize="1" rasterYSize="1"><VRTRasterBand dataType="Byte" band="1"/></VRTDataset>`
	for range 20 {
		s := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(inline)
		inline = `<VRTDataset rasterXSize="1" rasterYSize="1"><VRTRasterBand dataType="Byte" band="1"><SimpleSource><SourceFilename>` +
			s + `</SourceFilename></SimpleSource></VRTRasterBand></VRTDataset>`
	}
	for name, c := range map[string]struct{ text, want string }{
		"empty":      {"", "no element"},
		"not xml":    {"II*\x00", ""},
		"cut":        {"<VRTDataset>", "unexpected EOF"},
		"two roots":  {"<a/><b/>", "follows the end"},
		"doctype":    {`<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>`, "directive"},
		"entity":     {"<a>&x;</a>", "entity"},
		"encoding":   {`<?xml version="1.0" encoding="utf-16"?><a/>`, "encoding"},
		"deep":       {strings.Repeat("<a>", 100), "64 deep"},
		"many":       {"<a>" + strings.Repeat("<b/>", 1<<18) + "</a>", "262144 elements"},
		"large":      {"<a>" + strings.Repeat(" ", vrt.MaxBytes) + "</a>", "16 MiB"},
		"inline":     {inline, "16 deep"},
		"other root": {"<OGRVRTDataSource/>", "expected <VRTDataset>"},
	} {
		_, _, err := vrt.Read(bg, strings.NewReader(c.text), vrt.ReadOptions{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", name, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(bg)
	cancel()
	if _, _, err := vrt.Read(ctx, strings.NewReader(`<VRTDataset rasterXSize="1" rasterYSize="1"/>`), vrt.ReadOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of its context: %v", err)
	}
}

func TestReadNestingLimits(t *testing.T) {
	node := `{"type":"DelayedNans","meta":{"dsize":[2,2]}}`
	deep := strings.Repeat(`{"type":"DelayedAsXarray","meta":{},"children":[`, 1200) + node + strings.Repeat("]}", 1200)
	for name, c := range map[string]struct{ text, want string }{
		"empty": {"", "EOF"},
		"deep":  {deep, "1000 deep"},
		"many":  {`{"type":"DelayedChannelConcat","children":[` + strings.Repeat(node+",", 1<<18) + node + "]}", "262144 nodes"},
		"large": {strings.Repeat(" ", vrt.MaxBytes+1), "16 MiB"},
		"bands": {`{"type":"DelayedNans","meta":{"dsize":[2,2],"num_channels":70000}}`, "65536"},
	} {
		_, _, err := vrt.ReadNesting(strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", name, err, c.want)
		}
	}
}

// A tree that doubles at each step through a shared child has no small text,
// and is refused without being written out.
func TestWriteShared(t *testing.T) {
	l, err := ast.NewLoadMeta("a.tif", "", ast.Meta{Size: geom.Size{W: 64, H: 64}, Bands: []ast.Band{{Name: "1", Type: raster.Uint8}}})
	if err != nil {
		t.Fatal(err)
	}
	var n ast.Node = l
	for i := range 40 {
		s := ast.Sampling{Interp: ast.Linear, Antialias: i%2 == 0}
		w, err := ast.NewWarp(n, geom.Translate(0.25, 0), geom.Size{W: 64, H: 64}, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		c, err := ast.NewConcat(w, w)
		if err != nil {
			t.Fatal(err)
		}
		n = must(t)(ast.NewCrop(c, rect(0, 0, 64, 64), 1))
	}
	var b strings.Builder
	if _, err := vrt.WriteNesting(&b, n); err == nil || !strings.Contains(err.Error(), "shared subtree") {
		t.Errorf("nesting: %v", err)
	}
	if b.Len() > 0 {
		t.Errorf("%d bytes were written all the same", b.Len())
	}
	if _, err := vrt.Write(&b, n, vrt.WriteOptions{}); err != nil {
		t.Logf("VRT: %.200s", err) // escaping grows with the depth
	}
}

// Everything that cannot be written is listed, each with its path.
func TestUnsupportedListsAll(t *testing.T) {
	n, err := ast.ParseExpr(`(concat
  (warp matrix=[1 0 0 0 1 0 0.001 0 1] size=8x8 (load "a.tif" 8x8 bands=[a] uint8))
  (warp scale=1.5 size=8x8 border=clamp (load "a.tif" 8x8 bands=[a] uint8))
  (raster 8x8 uint8 [` + strings.Repeat("1 ", 64) + `]))`)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	_, err = vrt.Write(&b, n, vrt.WriteOptions{})
	var u *vrt.UnsupportedError
	if !errors.As(err, &u) {
		t.Fatal(err)
	}
	var paths []string
	for _, n := range u.Notes {
		paths = append(paths, n.Path+" "+n.Op)
	}
	want := "[concat/0/warp warp concat/1/warp warp concat/2/raster raster]"
	if fmt.Sprint(paths) != want {
		t.Errorf("%v, want %v", paths, want)
	}
	if b.Len() > 0 {
		t.Error("something was written all the same")
	}
}
