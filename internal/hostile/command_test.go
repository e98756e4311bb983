//go:build unix

package hostile_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/gdalio"
	"github.com/rewarp/rewarp/internal/hostile"
)

// command builds rewarp.
func command(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the command")
	}
	bin := filepath.Join(t.TempDir(), "rewarp")
	if out, err := exec.Command("go", "build", "-o", bin, "../../cmd/rewarp").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}

// ran is how a command ended.
type ran struct {
	status      int
	out, errors string
	resident    int64 // at most, bytes
}

func run(t *testing.T, bin string, args ...string) ran {
	t.Helper()
	ctx, cancel := context.WithTimeout(bg, 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, bin, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	r := ran{status: cmd.ProcessState.ExitCode(), out: out.String(), errors: errs.String()}
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		r.resident = u.Maxrss << 10
	}
	return r
}

// TestCommand hands every file to rewarp info and rewarp eval.
func TestCommand(t *testing.T) {
	quiet(t)
	bin := command(t)
	most := int64(0)
	for _, f := range hostile.Files() {
		want := f.GDAL
		if gdalio.Version() == "" {
			want = f.Plain
		}
		path, err := filepath.Abs(filepath.Join(folder, f.Name))
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		tree, err := ast.MarshalTree(over(path))
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "tree.json")
		if err := os.WriteFile(file, tree, 0o666); err != nil {
			t.Fatal(err)
		}
		args, status := []string{"eval", file, "-o", dir + "/out.tif", "--threads", "2"}, 1
		switch want {
		case hostile.NoOpen:
			if strings.HasPrefix(f.Name, "tiff") {
				args = []string{"info", path}
			}
		case hostile.Reads:
			status = 0
		}
		r := run(t, bin, args...)
		most = max(most, r.resident)
		if r.status != status {
			t.Errorf("%s %s: status %d, want %d: %s", args[0], f.Name, r.status, status, r.errors)
		}
		if r.status != 0 {
			if strings.Count(r.errors, "\n") != 1 || !strings.HasPrefix(r.errors, "rewarp: ") || r.out != "" {
				t.Errorf("%s %s prints %q and %q", args[0], f.Name, r.out, r.errors)
			}
			clear(t, f.Name, errors.New(strings.TrimSpace(r.errors)))
			empty(t, dir)
		}
	}
	t.Logf("at most %d MiB", most>>20)
	if most > maxPeak {
		t.Errorf("%d MiB were resident, the limit is %d MiB", most>>20, maxPeak>>20)
	}
}

// TestCommandStopped interrupts rewarp while it writes a raster of 2³¹ pixels
// a side.
func TestCommandStopped(t *testing.T) {
	bin := command(t)
	dir := t.TempDir()
	tree := filepath.Join(t.TempDir(), "tree.expr")
	if err := os.WriteFile(tree, []byte("(fill 2147483647x2147483647 uint8 bands=1 value=7)"), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin, "eval", tree, "-o", dir+"/out.tif")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// It writes beside its output, so that is when it is at work.
	for range 400 {
		if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Logf("it had ended: %v", err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		if err == nil || strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("%v: %q", err, errs.String())
		}
	case <-time.After(20 * time.Second):
		_ = cmd.Process.Kill() // it may end in between
		t.Error("it did not stop")
		<-done
	}
	empty(t, dir)
}
