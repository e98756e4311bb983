package gdalio_test

import (
	"context"
	"errors"
	"image"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/gdalio"
)

func TestReadWindows(t *testing.T) {
	needGDAL(t)
	dir := t.TempDir()
	for _, typ := range []raster.DataType{raster.Uint8, raster.Float32} {
		want := pattern(typ, 301, 277, 3)
		for _, interleave := range []string{"PIXEL", "BAND"} {
			path := save(t, filepath.Join(dir, typ.String()+interleave+".tif"), gdalio.Creation{Options: []string{"INTERLEAVE=" + interleave}}, want)
			s := open(t, path)
			var b raster.Buffer
			for _, c := range []struct {
				window image.Rectangle
				bands  []int
			}{
				{image.Rect(0, 0, 301, 277), []int{0, 1, 2}},
				{image.Rect(300, 276, 301, 277), []int{2}},
				{image.Rect(0, 0, 1, 1), []int{1, 1, 1, 1}},
				{image.Rect(250, 251, 262, 270), []int{2, 0}},
				{image.Rect(3, 100, 300, 101), []int{2, 2, 1, 0, 1}},
				{image.Rect(255, 1, 257, 277), []int{0, 2, 1}},
			} {
				if err := s.ReadWindow(bg, 0, c.window, c.bands, &b); err != nil {
					t.Fatal(err)
				}
				if b.Mask != nil || b.Type != typ {
					t.Fatalf("mask %v, type %v", b.Mask != nil, b.Type)
				}
				compare(t, &b, want, c.window.Min, c.bands...)
			}
		}
	}
}

func TestReadLevels(t *testing.T) {
	needGDAL(t)
	s := open(t, astro(t))
	m := s.Meta()
	if len(m.Overviews) != 3 || m.Overviews[0] != (geom.Size{W: 256, H: 256}) || m.Overviews[2] != (geom.Size{W: 64, H: 64}) {
		t.Fatalf("overviews %v", m.Overviews)
	}
	// The overviews are averages, so level 1 is near the mean of 2×2 pixels.
	full := whole(t, s, 0)
	for level, size := range m.Overviews {
		all := whole(t, s, level+1)
		if all.W != size.W || all.H != size.H {
			t.Fatalf("level %d is %d×%d", level+1, all.W, all.H)
		}
		w := image.Rect(size.W/3, size.H/5, size.W/3+17, size.H/5+9)
		compare(t, read(t, s, level+1, w, 2, 0, 2), all, w.Min, 2, 0, 2)
	}
	one := whole(t, s, 1)
	for y := 0; y < 256; y += 5 {
		for x := 0; x < 256; x += 5 {
			for k := range 3 {
				var sum float64
				for i := range 4 {
					v, _ := full.At(2*x+i%2, 2*y+i/2, k)
					sum += v
				}
				if got, _ := one.At(x, y, k); got < sum/4-1 || got > sum/4+1 {
					t.Fatalf("level 1 at (%d, %d): %v, mean %v", x, y, got, sum/4)
				}
			}
		}
	}
}

func TestReadRefuses(t *testing.T) {
	needGDAL(t)
	s := open(t, astro(t))
	var b raster.Buffer
	for _, c := range []struct {
		level  int
		window image.Rectangle
		bands  []int
		says   []string
	}{
		{4, image.Rect(0, 0, 1, 1), []int{0}, []string{"level 4", "0 to 3"}},
		{-1, image.Rect(0, 0, 1, 1), []int{0}, []string{"level -1"}},
		{0, image.Rect(0, 0, 513, 1), []int{0}, []string{"window [0 0 513 1]", "512×512"}},
		{0, image.Rect(-1, 0, 5, 1), []int{0}, []string{"window [-1 0 5 1]"}},
		{3, image.Rect(0, 0, 65, 1), []int{0}, []string{"level 3 of 64×64"}},
		{0, image.Rect(5, 5, 5, 9), []int{0}, []string{"window [5 5 5 9]"}},
		{0, image.Rect(0, 0, 1, 1), []int{0, 3}, []string{"band 3", "0 to 2"}},
		{0, image.Rect(0, 0, 1, 1), nil, []string{"0 bands"}},
		{0, image.Rect(0, 0, 512, 512), make([]int, 65536), []string{"samples", "limit of 8589934592"}},
	} {
		err := s.ReadWindow(bg, c.level, c.window, c.bands, &b)
		wantError(t, err, append(c.says, "gdalio: read", "astro.tif")...)
	}
}

func TestReadConcurrently(t *testing.T) {
	needGDAL(t)
	want := pattern(raster.Uint16, 700, 500, 2)
	path := save(t, filepath.Join(t.TempDir(), "x.tif"), gdalio.Creation{}, want)
	s := open(t, path, gdalio.WithHandles(3))
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(g)))
			var b raster.Buffer
			for range 30 {
				x, y := r.IntN(600), r.IntN(400)
				w := image.Rect(x, y, x+1+r.IntN(99), y+1+r.IntN(99))
				if err := s.ReadWindow(bg, 0, w, []int{1, 0}, &b); err != nil {
					t.Error(err)
					return
				}
				for i := range 20 {
					px, py := i%b.W, (i*7)%b.H
					got, _ := b.At(px, py, 0)
					if v, _ := want.At(x+px, y+py, 1); got != v {
						t.Errorf("(%d, %d): %v, want %v", x+px, y+py, got, v)
						return
					}
				}
			}
		})
	}
	wg.Wait()
}

func TestCloseWaitsAndFreesHandles(t *testing.T) {
	needGDAL(t)
	path := save(t, filepath.Join(t.TempDir(), "x.tif"), gdalio.Creation{}, pattern(raster.Uint8, 500, 500, 3))
	before := openFiles(t)
	s, err := gdalio.New(gdalio.WithHandles(4)).Open(bg, path)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			var b raster.Buffer
			for {
				err := s.ReadWindow(bg, 0, image.Rect(0, 0, 500, 500), []int{0, 1, 2}, &b)
				if errors.Is(err, fs.ErrClosed) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	time.Sleep(20 * time.Millisecond)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if after := openFiles(t); after > before {
		t.Errorf("%d files open after Close, %d before Open", after, before)
	}
	wg.Wait()
	if err := s.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	wantError(t, s.ReadWindow(bg, 0, image.Rect(0, 0, 1, 1), []int{0}, new(raster.Buffer)), "gdalio: read", "closed")
}

func openFiles(t *testing.T) int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("no /proc here")
	}
	return len(entries)
}

func TestCancel(t *testing.T) {
	needGDAL(t)
	b := raster.New(raster.Uint8, 2048, 2048, 1)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range b.Bytes() {
		b.Bytes()[i] = byte(r.Uint32() & 15)
	}
	path := save(t, filepath.Join(t.TempDir(), "x.tif"), gdalio.Creation{}, b)

	ctx, cancel := context.WithCancel(bg)
	cancel()
	o := gdalio.New()
	if _, err := o.Describe(ctx, path); !errors.Is(err, context.Canceled) {
		t.Errorf("Describe: %v", err)
	}
	if _, err := o.Open(ctx, path); !errors.Is(err, context.Canceled) {
		t.Errorf("Open: %v", err)
	}
	s := open(t, path, gdalio.WithHandles(1))
	var dst raster.Buffer
	if err := s.ReadWindow(ctx, 0, b.Bounds(), []int{0}, &dst); !errors.Is(err, context.Canceled) {
		t.Errorf("ReadWindow: %v", err)
	}

	ctx, cancel = context.WithTimeout(bg, 3*time.Millisecond)
	defer cancel()
	if err := s.ReadWindow(ctx, 0, b.Bounds(), []int{0}, &dst); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("ReadWindow cut short: %v", err)
	} else {
		wantError(t, err, "gdalio: read", "x.tif", "deadline")
	}
	// The handle is as good as before.
	compare(t, read(t, s, 0, image.Rect(2000, 2000, 2048, 2048), 0), b, image.Pt(2000, 2000), 0)
}

func TestFileChanges(t *testing.T) {
	needGDAL(t)
	path := filepath.Join(t.TempDir(), "x.tif")
	win := image.Rect(0, 0, 20, 20)
	var b raster.Buffer
	change := func(next *raster.Buffer) error {
		save(t, path, gdalio.Creation{}, pattern(raster.Uint8, 64, 48, 2))
		s := open(t, path)
		if err := s.ReadWindow(bg, 0, win, []int{0}, &b); err != nil {
			t.Fatal(err)
		}
		if s.(eval.Ager).Stale() {
			t.Error("the source of a file that nobody touched says it was replaced")
		}
		if next == nil {
			os.Remove(path)
		} else {
			save(t, path, gdalio.Creation{}, next)
		}
		if !s.(eval.Ager).Stale() {
			t.Error("the source does not tell that its file was replaced")
		}
		return s.ReadWindow(bg, 0, win, []int{0}, &b)
	}
	wantError(t, change(pattern(raster.Uint8, 63, 48, 2)), "changed after it was opened", "63×48", "64×48")
	wantError(t, change(pattern(raster.Uint8, 64, 48, 1)), "changed", "1 bands now, had 2")
	wantError(t, change(pattern(raster.Int16, 64, 48, 2)), "changed", "int16 now, was uint8")
	if err := change(nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("removed: %v", err)
	}
	// Of the same shape, it is read anew.
	next := raster.New(raster.Uint8, 64, 48, 2)
	if err := change(next); err != nil {
		t.Fatal(err)
	}
	compare(t, &b, next, image.Point{}, 0)
}

func TestOpenErrors(t *testing.T) {
	needGDAL(t)
	dir := t.TempDir()
	o := gdalio.New()
	_, err := o.Describe(bg, filepath.Join(dir, "none.tif"))
	wantError(t, err, `gdalio: open "`, "none.tif", "No such file or directory")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v is not fs.ErrNotExist", err)
	}
	_, err = o.Open(bg, saveText(t, filepath.Join(dir, "a.tif"), "no raster at all"))
	wantError(t, err, "a.tif", "not recognized")
	_, err = o.Open(bg, "")
	wantError(t, err, `gdalio: open ""`)
	_, err = o.Open(bg, "a\x00b")
	wantError(t, err, "not a name")
	_, err = gdalio.New(gdalio.WithDrivers("PNG")).Open(bg, astro(t))
	wantError(t, err, "astro.tif", "not recognized")
	_, err = gdalio.New(gdalio.WithDrivers()).Open(bg, astro(t))
	wantError(t, err, "no driver is allowed")
	_, err = o.Open(bg, dir)
	wantError(t, err, "gdalio: open")
}

func TestBrokenFiles(t *testing.T) {
	needGDAL(t)
	dir := t.TempDir()
	good, err := os.ReadFile(save(t, filepath.Join(dir, "good.tif"), gdalio.Creation{}, pattern(raster.Int16, 400, 300, 2)))
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 4))
	path := filepath.Join(dir, "bad.tif")
	failed := 0
	for i := range 60 {
		data := append([]byte(nil), good...)
		if i%2 == 0 {
			data = data[:r.IntN(len(data))]
		} else {
			for range 20 {
				data[r.IntN(len(data))] = byte(r.Uint32())
			}
		}
		saveText(t, path, string(data))
		err := readAll(path)
		if err != nil {
			failed++
			wantError(t, err, "gdalio: ", "bad.tif")
		} else if i%2 == 0 {
			t.Errorf("cut to %d of %d bytes, it still reads", len(data), len(good))
		}
	}
	if failed < 30 {
		t.Errorf("only %d of 60 broken files fail", failed)
	}
}

// readAll reads what a file claims to hold, row by row.
func readAll(path string) error {
	s, err := gdalio.New().Open(bg, path)
	if err != nil {
		return err
	}
	defer s.Close()
	m := s.Meta()
	var b raster.Buffer
	for y := 0; y < min(m.Size.H, 1000); y += 50 {
		for k := range min(len(m.Bands), 4) {
			w := image.Rect(0, y, min(m.Size.W, 1000), min(y+50, m.Size.H))
			if err := s.ReadWindow(bg, 0, w, []int{k}, &b); err != nil {
				return err
			}
		}
	}
	return nil
}
