package gdalio_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/gdalio"
	"github.com/rewarp/rewarp/internal/tiff"
)

// TestDirectHostile: where the fields of a file are at odds with each other or
// with its size, reads give what GDAL gives, and take no memory for what only
// the fields say is there.
func TestDirectHostile(t *testing.T) {
	needGDAL(t)
	for _, c := range []struct {
		name, compress string
		grown          int64 // bytes that the file is made longer by, as a hole
		change         func(file []byte, field func(tag uint16) []byte)
	}{
		{"a field twice", "DEFLATE", 0, func(_ []byte, field func(uint16) []byte) {
			f := field(tiff.TagSampleFormat)
			copy(f, field(tiff.TagPredictor))
			binary.LittleEndian.PutUint16(f[8:], 1)
		}},
		{"a block beyond the end", "NONE", 0, func(file []byte, field func(uint16) []byte) {
			binary.LittleEndian.PutUint32(field(tiff.TagTileCounts)[8:], uint32(len(file)))
		}},
		{"a deflated block beyond the end", "DEFLATE", 0, func(file []byte, field func(uint16) []byte) {
			binary.LittleEndian.PutUint32(field(tiff.TagTileCounts)[8:], uint32(len(file)))
		}},
		{"a deflated block of a GiB", "DEFLATE", 2 << 30, func(_ []byte, field func(uint16) []byte) {
			binary.LittleEndian.PutUint32(field(tiff.TagTileCounts)[8:], 1<<30)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			options := []string{"COMPRESS=" + c.compress, "BLOCKXSIZE=64", "BLOCKYSIZE=64", "PREDICTOR=2"}
			path := save(t, filepath.Join(t.TempDir(), "x.tif"), gdalio.Creation{Options: options}, pattern(raster.Uint16, 50, 40, 1))
			file, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			c.change(file, func(tag uint16) []byte { return fieldOf(t, file, tag) })
			saveText(t, path, string(file))
			if err := os.Truncate(path, int64(len(file))+c.grown); err != nil {
				t.Fatal(err)
			}
			s, other := open(t, path), throughGDAL(t, path)
			var got, want raster.Buffer
			wantErr := other.ReadWindow(bg, 0, other.Meta().Size.Bounds(), []int{0}, &want)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err = s.ReadWindow(bg, 0, s.Meta().Size.Bounds(), []int{0}, &got)
			runtime.ReadMemStats(&after)
			if (err == nil) != (wantErr == nil) {
				t.Errorf("error %v, GDAL's is %v", err, wantErr)
			} else if err == nil && string(got.Bytes()) != string(want.Bytes()) {
				t.Error("samples are not GDAL's")
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
				t.Errorf("a read of %d bytes took %d bytes of memory", len(got.Bytes()), took)
			}
		})
	}
}

// fieldOf is the entry of a field in the first directory of a little-endian TIFF
// of 32-bit offsets: 12 bytes, the value or its offset from byte 8 on.
func fieldOf(t testing.TB, file []byte, tag uint16) []byte {
	t.Helper()
	e := binary.LittleEndian
	at := int(e.Uint32(file[4:]))
	for i := range int(e.Uint16(file[at:])) {
		if f := file[at+2+12*i:][:12]; e.Uint16(f) == tag {
			return f
		}
	}
	t.Fatalf("the file has no field %d", tag)
	return nil
}
