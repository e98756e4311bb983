package main

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/rewarp/rewarp/bench/internal/peer"
	"github.com/rewarp/rewarp/bench/internal/report"
)

// peers are the libraries, ours first.
func (d *driver) peers() []peer.Peer {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	deps := filepath.Join(d.root, ".deps")
	script := filepath.Join(d.root, "bench", "peers", "worker.py")
	python := os.Getenv("REWARP_PEERS_PYTHON")
	if python == "" {
		python = filepath.Join(deps, "peers", "bin", "python")
	}
	beside := filepath.Join(deps, "peers-gdal")
	gdalPython := ""
	if text, err := os.ReadFile(filepath.Join(beside, "python")); err == nil {
		gdalPython = strings.TrimSpace(string(text))
	}
	in := func(name, python string, env ...string) peer.Peer {
		p := peer.Peer{Name: name, Command: []string{python, "-W", "ignore", script, name}, Env: env}
		if _, err := os.Stat(python); err != nil {
			p.Missing = "no Python with it; scripts/install-peers.sh says why"
		}
		return p
	}
	all := []peer.Peer{{Name: report.Ours, Command: []string{self, "worker", report.Ours}}}
	for _, name := range []string{"opencv", "rasterio", "vips", "pillow", "skimage"} {
		all = append(all, in(name, python))
	}
	all = append(all, in("gdal", gdalPython), in("delayed", gdalPython, "PYTHONPATH="+beside))
	return append(all, peer.Peer{Name: "ximage", Command: []string{self, "worker", "ximage"}})
}

// describe notes what the run depends on.
func (d *driver) describe() {
	d.run.Cores = runtime.NumCPU()
	out, err := exec.CommandContext(d.ctx, "git", "--no-optional-locks", "-C", d.root, "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*").Output()
	if err == nil {
		d.run.Commit = strings.TrimSpace(string(out))
	}
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		d.run.CPU = runtime.GOARCH
		return
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	fields := map[string]string{}
	for lines.Scan() {
		if key, value, ok := strings.Cut(lines.Text(), ":"); ok {
			fields[strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
	}
	d.run.CPU = fields["model name"]
	if fields["cpu family"] != "" {
		d.run.CPU += ", family " + fields["cpu family"] + " model " + fields["model"]
	}
}

// module is the version of a module that this program is built with.
func module(path string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range info.Deps {
		if m.Path == path {
			return m.Version
		}
	}
	return ""
}

// bandwidth is how many bytes a second the machine reads and writes when
// threads copy memory that is in no cache: twice what they copy.
func bandwidth(threads int) float64 {
	const size = 256 << 20
	src, dst := make([]byte, size), make([]byte, size)
	for i := range src {
		src[i] = byte(i)
	}
	best := 0.0
	for range 7 {
		start := time.Now()
		var all sync.WaitGroup
		for i := range threads {
			all.Go(func() { copy(dst[i*size/threads:(i+1)*size/threads], src[i*size/threads:]) })
		}
		all.Wait()
		best = max(best, 2*size/time.Since(start).Seconds())
	}
	return best
}

// torchvision measures the wraps of the Python library that has them, where it
// is installed.
func (d *driver) torchvision() {
	if !d.only.MatchString("wrap/20") {
		return
	}
	m := report.Measure{Case: "wrap/20", Threads: 1, Peer: "torchvision", Work: peer.Same, Sampling: "tv_tensors.wrap"}
	python := filepath.Join(d.root, ".deps", "peers", "bin", "python")
	if p := os.Getenv("REWARP_PEERS_PYTHON"); p != "" {
		python = p
	}
	out, err := exec.CommandContext(d.ctx, python, filepath.Join(d.root, "bench", "peers", "wrap.py"), "--json").Output()
	var got struct {
		Sample      float64 `json:"seconds_a_sample"`
		Torchvision string  `json:"torchvision"`
		Torch       string  `json:"torch"`
	}
	if err == nil {
		err = json.Unmarshal(out, &got)
	}
	if err != nil {
		d.run.Missing["torchvision"] = "it is not installed: it takes 5.4 GB. Repeat with TORCH=1"
		return
	}
	m.Rounds, m.Batch = []float64{got.Sample}, 1
	d.run.Versions["torchvision"] = "torchvision " + got.Torchvision + " (torch " + got.Torch + ")"
	d.run.Measures = append(d.run.Measures, m)
}
