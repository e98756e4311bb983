//go:build unix

package gdalio_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/gdalio"
)

// The disk is full wherever the limit on a file's size strikes. The limit holds
// for a process, so the writing is done in another.
func TestDiskFull(t *testing.T) {
	needGDAL(t)
	if v := os.Getenv("REWARP_TEST_LIMIT"); v != "" {
		writeLimited(t, v)
		return
	}
	for file, limits := range map[string][]int{"x.tif": {100, 40000}, "masked.tif": {100, 100000}, "x.png": {40000}, "cog.tif": {180000}} {
		for _, limit := range limits {
			dir := t.TempDir()
			cmd := exec.Command(os.Args[0], "-test.run=^TestDiskFull$")
			cmd.Env = append(os.Environ(), "REWARP_TEST_LIMIT="+strconv.Itoa(limit), "REWARP_TEST_FILE="+filepath.Join(dir, file))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s, limit %d: %v\n%s", file, limit, err, out)
			} else if len(out) > 0 && strings.Contains(string(out), "ERROR") {
				t.Errorf("%s, limit %d: GDAL printed\n%s", file, limit, out)
			}
			onlyFiles(t, dir)
		}
	}
}

func writeLimited(t *testing.T, v string) {
	limit, _ := strconv.ParseUint(v, 10, 64)
	path := os.Getenv("REWARP_TEST_FILE")
	b := pattern(raster.Uint8, 400, 400, 1)
	r := rand.New(rand.NewPCG(5, 6))
	for i := range b.Bytes() {
		b.Bytes()[i] = byte(r.Uint32())
	}
	c := gdalio.Creation{Size: geom.Size{W: 400, H: 400}, Bands: bandsOf(raster.Uint8, "1")}
	c.WithMask = strings.HasSuffix(path, "masked.tif")
	if strings.HasSuffix(path, "cog.tif") {
		c.Driver = "COG"
	}
	gdalio.Drivers()
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
		t.Skip(err)
	}
	w, err := gdalio.Create(bg, path, c)
	if err == nil {
		err = w.WriteWindow(bg, b.Bounds(), b)
		if cerr := w.Close(); err == nil {
			err = cerr
		}
	}
	wantError(t, err, "gdalio: ", path)
	if strings.Contains(err.Error(), "/out/") || strings.Contains(err.Error(), "stage.tif") {
		t.Errorf("error %q names a temporary file", err)
	}
	if testing.Verbose() {
		t.Log(err)
	}
}
