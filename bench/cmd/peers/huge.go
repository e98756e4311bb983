package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/bench/internal/report"
	"github.com/rewarp/rewarp/bench/internal/workload"
	"github.com/rewarp/rewarp/gdalio"
)

// runHuge is workload i: a file of 20,000² is rotated into another one, by the
// command line programs. Both write tiles without compression, and both times
// include that the file has reached the disk.
func (d *driver) runHuge() error {
	dir, err := os.MkdirTemp(d.cache, "huge-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s := d.settings()
	s.Dir = dir
	if err := s.MakeHuge(d.ctx, func(t string) { say("%s", t) }); err != nil {
		return err
	}
	tree := filepath.Join(dir, "huge.json")
	if err := writeTree(tree); err != nil {
		return err
	}
	const rounds = 2
	out := filepath.Join(dir, "out.tif")
	kept := map[string]*raster.Buffer{}
	for threads := 1; threads <= 2; threads++ {
		for range rounds {
			for _, program := range []string{report.Ours, "gdalwarp"} {
				if err := d.ctx.Err(); err != nil {
					return err
				}
				h := d.hugeOnce(program, s.HugeFile(), tree, out, threads)
				d.run.Huge = append(d.run.Huge, h)
				say("%3.0fs i/rotation, %s, %d threads: %.1f s, %d MiB %s", time.Since(d.began).Seconds(), program, threads, h.Seconds, h.Peak>>20, h.Failed)
				if h.Failed == "" && kept[program] == nil {
					if kept[program], err = middle(d.ctx, out); err != nil {
						return err
					}
				}
				_ = os.Remove(out)
			}
		}
	}
	if a, b := kept[report.Ours], kept["gdalwarp"]; a != nil && b != nil {
		d.run.HugeDiff = report.Compare(a, b, 255)
	}
	return nil
}

func writeTree(path string) error {
	m := workload.HugeMap()
	data, err := json.Marshal(map[string]any{"version": 1, "tree": map[string]any{
		"op": "warp", "transform": map[string]any{"matrix": m[:6]}, "size": [2]int{workload.HugeSide, workload.HugeSide},
		"interpolation": "linear", "antialias": true, "input": map[string]any{"op": "load", "uri": "huge.tif"},
	}})
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

func (d *driver) hugeOnce(program, in, tree, out string, threads int) report.Huge {
	h := report.Huge{Program: program, Threads: threads}
	n, side := strconv.Itoa(threads), strconv.Itoa(workload.HugeSide)
	args := []string{filepath.Join(d.root, "bin", "rewarp"), "eval", tree, "-o", out, "--threads", n, "--co", "COMPRESS=NONE"}
	if program == "gdalwarp" {
		args = []string{"gdalwarp", "-q", "-r", "bilinear", "-te", "0", "0", side, side, "-ts", side, side, "-multi",
			"-wo", "NUM_THREADS=" + n, "-wm", "256", "--config", "GDAL_CACHEMAX", "256", "-co", "TILED=YES", "-co", "BIGTIFF=IF_SAFER", in, out}
	}
	if path, err := exec.LookPath("taskset"); err == nil && threads == 1 {
		args = append([]string{path, "-c", strconv.Itoa(d.run.Cores - 1)}, args...)
	}
	ctx, cancel := context.WithTimeout(d.ctx, 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS="+n)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	start := time.Now()
	err := cmd.Start()
	if err == nil {
		stop := make(chan struct{})
		peak := make(chan int64)
		go func() { peak <- watchMemory(cmd.Process.Pid, stop) }()
		err = cmd.Wait()
		close(stop)
		h.Peak = <-peak
	}
	if err == nil {
		err = flush(out)
	}
	h.Seconds = time.Since(start).Seconds()
	if err != nil {
		h.Failed = fmt.Sprintf("%v: %.200s", err, said.String())
	}
	return h
}

// watchMemory is the most memory that a process had, in bytes, as the system
// keeps it. What the system tells after the end will not do: it counts what
// this process had when it started the other.
func watchMemory(pid int, stop <-chan struct{}) (peak int64) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return peak
		case <-tick.C:
		}
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			continue
		}
		_, after, ok := strings.Cut(string(data), "VmHWM:")
		fields := strings.Fields(after)
		if !ok || len(fields) == 0 {
			continue
		}
		if kib, err := strconv.ParseInt(fields[0], 10, 64); err == nil {
			peak = kib << 10
		}
	}
}

// flush waits until a file is on the disk.
func flush(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// middle is a window of an output.
func middle(ctx context.Context, path string) (*raster.Buffer, error) {
	src, err := gdalio.New().Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	const at, side = workload.HugeSide/2 - 1000, 512
	b := &raster.Buffer{}
	return b, src.ReadWindow(ctx, 0, image.Rect(at, at, at+side, at+side), []int{0, 1, 2}, b)
}
