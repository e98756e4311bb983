package hostile_test

import (
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rewarp/rewarp"
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/gdalio"
	"github.com/rewarp/rewarp/internal/hostile"
)

// over is a tree over the top left of a raster.
func over(uri string) ast.Node {
	n, err := ast.FromURI(uri, "").Crop(image.Rect(0, 0, 40, 40), 0).Scale(0.7).Node()
	if err != nil {
		panic(err)
	}
	return n
}

// TestSessions saves a tree over every file, by one session for all, and after
// each a tree that is good.
func TestSessions(t *testing.T) {
	quiet(t)
	for _, r := range readers {
		if r.name == "gdalio" && gdalio.Version() == "" {
			continue
		}
		t.Run(r.name, func(t *testing.T) {
			left := leaks(t)
			s := session(t, r.opener)
			good, err := s.Plan(bg, over("../../testdata/oracle/src/u8.tif"))
			if err != nil {
				t.Fatal(err)
			}
			want, err := good.Run(bg)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range hostile.Files() {
				ctx, cancel := context.WithTimeout(bg, 20*time.Second)
				dir := t.TempDir()
				var err error
				plan, err := s.Plan(ctx, over(filepath.Join(folder, f.Name)))
				if err == nil {
					err = rewarp.Save(ctx, plan, dir+"/out.tif", rewarp.SaveOptions{})
				}
				cancel()
				if reads := r.want(f) == hostile.Reads; (err == nil) != reads {
					t.Errorf("%s: %v", f.Name, err)
				}
				if err != nil {
					clear(t, f.Name, err)
					empty(t, dir)
				}
				got, err := good.Run(bg)
				if err != nil {
					t.Fatalf("after %s: %v", f.Name, err)
				}
				if string(got.Bytes()) != string(want.Bytes()) {
					t.Errorf("after %s a good tree has other pixels", f.Name)
				}
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			left()
		})
	}
}

// whole plans a tree and runs it.
func whole(t *testing.T, s *eval.Session, n ast.Node) *raster.Buffer {
	t.Helper()
	p, err := s.Plan(bg, n)
	if err != nil {
		t.Fatal(err)
	}
	b, err := p.Run(bg)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestFilesThatChange replaces, cuts and removes a file after a plan was made
// of it, and between two runs. A reader that holds the planned file open still
// reads that one, though another has its name; nothing reads any other.
func TestFilesThatChange(t *testing.T) {
	if gdalio.Version() == "" {
		t.Skip("no GDAL")
	}
	good, err := os.ReadFile("../../testdata/oracle/src/u8.tif")
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile("../../testdata/oracle/src/i16.tif")
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(path string) error{
		"removed":  os.Remove,
		"replaced": func(p string) error { return errors.Join(os.WriteFile(p+"~", other, 0o666), os.Rename(p+"~", p)) },
		"cut":      func(p string) error { return os.Truncate(p, int64(len(good)/3)) },
		"emptied":  func(p string) error { return os.Truncate(p, 0) },
		"folder":   func(p string) error { return errors.Join(os.Remove(p), os.Mkdir(p, 0o777)) },
	} {
		for _, r := range readers {
			for _, between := range []bool{false, true} {
				t.Run(fmt.Sprint(name, " ", r.name, " between runs ", between), func(t *testing.T) {
					left := leaks(t)
					dir := t.TempDir()
					path := dir + "/image.tif"
					if err := os.WriteFile(path, good, 0o666); err != nil {
						t.Fatal(err)
					}
					s := session(t, r.opener)
					want := whole(t, s, over(path))
					if err := s.Forget(path); err != nil {
						t.Fatal(err)
					}
					plan, err := s.Plan(bg, over(path))
					if err != nil {
						t.Fatal(err)
					}
					if between {
						if _, err := plan.Run(bg); err != nil {
							t.Fatal(err)
						}
						if err := s.Forget(path); err != nil {
							t.Fatal(err)
						}
					}
					if err := change(path); err != nil {
						t.Fatal(err)
					}
					out := t.TempDir()
					held := r.name == "imagefile" && !between && name != "cut" && name != "emptied"
					if got, err := plan.Run(bg); held && (err != nil || string(got.Bytes()) != string(want.Bytes())) {
						t.Errorf("not what was planned: %v", err)
					}
					if err := rewarp.Save(bg, plan, out+"/out.tif", rewarp.SaveOptions{}); !held {
						if err == nil {
							t.Error("no error")
						} else {
							clear(t, "image.tif", err)
						}
						empty(t, out)
					}
					if err := errors.Join(os.RemoveAll(path), os.WriteFile(path, good, 0o666), s.Forget(path)); err != nil {
						t.Fatal(err)
					}
					if _, err := plan.Run(bg); err != nil {
						t.Errorf("when it is back: %v", err)
					}
					if err := s.Close(); err != nil {
						t.Error(err)
					}
					left()
				})
			}
		}
	}
}

// maxPeak bounds the resident memory of a process that reads the broken files:
// GDAL's own is the most of it.
const maxPeak = 400 << 20

// TestMemory does what the tests above do to files in a process of its own.
func TestMemory(t *testing.T) {
	if os.Getenv("REWARP_PEAK") != "" || peak() == 0 {
		t.Skip("it is the process, or the system does not tell")
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^(TestReaders|TestSessions|TestPeak)$", "-test.v")
	cmd.Env = append(os.Environ(), "REWARP_PEAK=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	_, after, _ := strings.Cut(string(out), "peak of ")
	var n int64
	if _, err := fmt.Sscanf(after, "%d bytes", &n); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%d MiB", n>>20)
	if n > maxPeak {
		t.Errorf("%d MiB were resident, the limit is %d MiB", n>>20, maxPeak>>20)
	}
}

// TestPeak is the last test of the process that TestMemory starts.
func TestPeak(t *testing.T) {
	if os.Getenv("REWARP_PEAK") == "" {
		t.Skip("for TestMemory")
	}
	fmt.Printf("peak of %d bytes\n", peak())
}
