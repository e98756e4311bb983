package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/cpu"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
)

// cpuFeatures are those that kernels are written for.
func cpuFeatures() []string {
	var names []string
	for _, f := range []struct {
		name string
		has  bool
	}{
		{"AVX2", cpu.X86.HasAVX2}, {"FMA", cpu.X86.HasFMA},
		{"AVX512F", cpu.X86.HasAVX512F}, {"AVX512BW", cpu.X86.HasAVX512BW}, {"AVX512DQ", cpu.X86.HasAVX512DQ},
		{"AVX512VL", cpu.X86.HasAVX512VL}, {"AVX512VBMI", cpu.X86.HasAVX512VBMI}, {"AVX512VNNI", cpu.X86.HasAVX512VNNI},
		{"ASIMD", cpu.ARM64.HasASIMD},
	} {
		if f.has {
			names = append(names, f.name)
		}
	}
	return names
}

// availableMemory is what the system can give without swapping, where it says
// that.
func availableMemory() (bytes int64, ok bool) {
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if rest, found := strings.CutPrefix(s.Text(), "MemAvailable:"); found {
			n, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return n << 10, err == nil
		}
	}
	return 0, false
}

// session opens a session and runs a small warp, with the kernels that were
// chosen and with the portable ones.
func (d *diagnosis) session(ctx context.Context) error {
	chosen, kernels, err := speed(ctx)
	if err != nil {
		d.add("session", broken, message(err), "please report it with the output of rewarp doctor --json")
		return ctx.Err()
	}
	if kernels == eval.Portable {
		advice := "kernels for this processor are not written yet"
		if runtime.GOARCH == "amd64" {
			advice = "the processor lacks AVX2, or the virtual machine hides it"
		}
		d.add("kernels", slow, fmt.Sprintf("%v, a warp at %.0f Mpx/s", kernels, chosen), advice)
		return nil
	}
	portable, _, err := speed(ctx, eval.WithKernels(eval.Portable))
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%v, a warp at %.0f Mpx/s, %.1f times the portable ones'", kernels, chosen, chosen/portable)
	if chosen < portable {
		d.add("kernels", slow, text, "the machine is busy, or its clock drops under wide instructions")
		return nil
	}
	d.add("kernels", fine, text, "")
	return nil
}

// speed is how fast a rotation runs, in output pixels of three bands.
func speed(ctx context.Context, opts ...eval.Option) (megapixels float64, k eval.Kernels, err error) {
	s, err := eval.Open(ctx, opts...)
	if err != nil {
		return 0, 0, err
	}
	defer s.Close()
	const side = 512
	pixels := raster.New(raster.Uint8, side, side, 3)
	for i, pix := 0, raster.Samples[uint8](pixels); i < len(pix); i++ {
		pix[i] = uint8(i * i)
	}
	in, err := ast.NewRaster(pixels, ast.NumberedBands(3, raster.Uint8))
	if err != nil {
		return 0, 0, err
	}
	n, err := ast.NewWarp(in, geom.Rotate(0.3), geom.Size{W: side, H: side}, ast.Sampling{Interp: ast.Linear, Antialias: true}, nil)
	if err != nil {
		return 0, 0, err
	}
	p, err := s.Plan(ctx, n)
	if err != nil {
		return 0, 0, err
	}
	dst := &raster.Buffer{}
	best := time.Duration(1<<63 - 1)
	for range 8 {
		start := time.Now()
		if err := p.RunInto(ctx, dst); err != nil {
			return 0, 0, err
		}
		best = min(best, time.Since(start))
	}
	return side * side / best.Seconds() / 1e6, s.Kernels(), nil
}
