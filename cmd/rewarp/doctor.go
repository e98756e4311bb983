package main

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/rewarp/rewarp"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/gdalio"
)

// Findings are fine, or say what is slow or missing, and what to do.
const (
	fine    = "ok"
	slow    = "slow"
	missing = "missing"
	broken  = "broken"
)

// finding is one line of doctor.
type finding struct {
	Name   string `json:"name"`
	Status string `json:"status"`
	Found  string `json:"found"`
	Advice string `json:"advice,omitempty"` // why it matters, and what to do
}

// diagnosis is doctor --json.
type diagnosis struct {
	Findings []finding `json:"findings"`
	Healthy  bool      `json:"healthy"` // nothing is slow, missing or broken
}

func (d *diagnosis) add(name, status, found, advice string) {
	d.Findings = append(d.Findings, finding{name, status, found, advice})
}

func (a *app) doctorCommand() *cobra.Command {
	var asJSON bool
	var sources sourceFlags
	cmd := &cobra.Command{
		Use: "doctor [FILE]...", Short: "Look at this machine, and say what is missing or slow, and why",
		Long: `doctor looks at what rewarp runs on: GDAL and its drivers, the processor's instruction sets and the kernels chosen for
them, threads, memory, and how fast a small warp runs. Of each raster named it says what makes reading it slow: no
overviews, blocks that are rows of the whole width, a missing cache.

The exit status is 0 unless something is broken.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			var d diagnosis
			d.versions()
			d.gdal()
			d.processor()
			d.memory()
			if err := d.session(cmd.Context()); err != nil {
				return err
			}
			for _, uri := range args {
				d.raster(cmd.Context(), sources.opener(), uri)
			}
			return a.report(&d, asJSON)
		},
	}
	sources.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return cmd
}

func (a *app) report(d *diagnosis, asJSON bool) error {
	d.Healthy = true
	wrong := 0
	for _, f := range d.Findings {
		d.Healthy = d.Healthy && f.Status == fine
		if f.Status == broken {
			wrong++
		}
	}
	var err error
	if asJSON {
		err = a.writeJSON(d)
	} else {
		err = a.print(d.text())
	}
	if err == nil && wrong > 0 {
		err = fmt.Errorf("%s broken; see above", plural(int64(wrong), "finding"))
	}
	return err
}

func (d *diagnosis) text() *bytes.Buffer {
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, f := range d.Findings {
		fmt.Fprintf(w, "%s\t%s\t%s\n", f.Status, f.Name, f.Found)
		if f.Advice != "" {
			fmt.Fprintf(w, "\t\t  %s\n", f.Advice)
		}
	}
	w.Flush()
	if d.Healthy {
		b.WriteString("\nall is well\n")
	}
	return &b
}

func (d *diagnosis) versions() {
	v := versions()
	d.add("rewarp", fine, fmt.Sprintf("%s, %s, %s", v.Version, v.Go, v.Platform), "")
}

// common are the formats that most rasters come in.
var common = []string{"GTiff", "COG", "VRT", "PNG", "JPEG"}

func (d *diagnosis) gdal() {
	if !rewarp.HasGDAL() {
		d.add("GDAL", missing, "this build has none: PNG, JPEG and plain TIFF only",
			"install libgdal-dev and pkg-config, and build with CGO_ENABLED=1")
		return
	}
	d.add("GDAL", fine, gdalio.Version(), "")
	drivers := gdalio.Drivers()
	writers, found := 0, map[string]bool{}
	for _, r := range drivers {
		found[r.Name] = true
		if r.Create || r.CreateCopy {
			writers++
		}
	}
	var lacking []string
	for _, name := range common {
		if !found[name] {
			lacking = append(lacking, name)
		}
	}
	status, advice := fine, ""
	if len(lacking) > 0 {
		status, advice = missing, "without "+strings.Join(lacking, ", ")+": install GDAL's plugins, or unset GDAL_SKIP"
	}
	d.add("drivers", status, fmt.Sprintf("%d formats read, %d written", len(drivers), writers), advice)
	d.gdalOptions()
}

// gdalOptions are the settings from outside that make reading slow.
func (d *diagnosis) gdalOptions() {
	cache := gdalio.CacheMax()
	if cache < 32<<20 {
		d.add("GDAL cache", slow, byteText(float64(cache)), "blocks that neighbouring windows share are decoded again: raise GDAL_CACHEMAX to some hundred MB")
	} else {
		d.add("GDAL cache", fine, byteText(float64(cache)), "")
	}
	if v, set := gdalio.ConfigOption("CPL_DEBUG"); set && !strings.EqualFold(v, "OFF") {
		d.add("CPL_DEBUG", slow, v, "GDAL writes a line for every call: unset it")
	}
	if v, set := gdalio.ConfigOption("GDAL_DISABLE_READDIR_ON_OPEN"); set {
		d.add("GDAL_DISABLE_READDIR_ON_OPEN", fine, v, "")
	}
}

func (d *diagnosis) processor() {
	name := "CPU"
	found := runtime.GOARCH
	if f := cpuFeatures(); len(f) > 0 {
		found += " with " + strings.Join(f, ", ")
	}
	d.add(name, fine, found, "")
	procs, cpus := runtime.GOMAXPROCS(0), runtime.NumCPU()
	text := fmt.Sprintf("%s at a time, %s", plural(int64(procs), "tile"), plural(int64(cpus), "processor"))
	switch {
	case procs < cpus:
		d.add("threads", slow, text, "GOMAXPROCS or a container's limit leaves processors idle")
	case cpus == 1:
		d.add("threads", slow, text, "with one processor, reading and computing take turns")
	default:
		d.add("threads", fine, text, "")
	}
}

// memory compares what a session may hold with what there is.
func (d *diagnosis) memory() {
	available, ok := availableMemory()
	if !ok {
		return
	}
	text := fmt.Sprintf("%s available, a session holds up to %s", byteText(float64(available)), byteText(eval.DefaultMemoryLimit))
	if available < eval.DefaultMemoryLimit {
		d.add("memory", slow, text, "large trees may swap: embedders lower the limit with eval.WithMemoryLimit")
		return
	}
	d.add("memory", fine, text, "")
}

// raster looks at one raster.
func (d *diagnosis) raster(ctx context.Context, opener eval.Opener, uri string) {
	m, err := opener.Describe(ctx, uri)
	if err != nil {
		d.add(uri, broken, message(err), "")
		return
	}
	large := m.Size.W > 1024 || m.Size.H > 1024
	switch {
	case len(m.Overviews) == 0 && large:
		d.add(uri, slow, "no overviews", "a downscale reads every pixel: gdaladdo "+uri+" stores smaller copies")
	case len(m.Overviews) == 0:
		d.add(uri, fine, fmt.Sprintf("no overviews, and small (%v)", m.Size), "")
	default:
		d.add(uri, fine, plural(int64(len(m.Overviews)), "overview"), "")
	}
	switch {
	case m.Block.W <= 0:
	case m.Block.W >= m.Size.W && m.Size.W > 1024:
		d.add(uri, slow, fmt.Sprintf("blocks of %v, as wide as the image", m.Block),
			"a crop decodes whole rows: gdal_translate -co TILED=YES rewrites the file in tiles")
	case m.Block.W > 2048 || m.Block.H > 2048:
		d.add(uri, slow, fmt.Sprintf("blocks of %v", m.Block), "a small crop decodes a large block: rewrite the file with tiles of 256 or 512")
	default:
		d.add(uri, fine, fmt.Sprintf("blocks of %v", m.Block), "")
	}
}
