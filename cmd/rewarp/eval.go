package main

import (
	"context"
	"fmt"
	"image"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rewarp/rewarp"
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/eval/oracle"
	"github.com/rewarp/rewarp/gdalio"
)

// evaluate is rewarp eval.
type evaluate struct {
	rewriteFlags
	app              *app
	output           string
	reference, naive bool
	threads          int
	dtype            dtypeFlag
	driver           string
	options          []string
	stretch          stretchFlag
	channels         string
	asJSON           bool
}

func (a *app) evalCommand() *cobra.Command {
	e := &evaluate{app: a}
	cmd := a.treeCommand("eval", "Rewrite a tree, run it, and write the raster",
		`eval rewrites a tree, runs it tile by tile, and writes the raster, with its place in the world, nodata and band names.
The file is complete or absent. Memory stays bounded whatever the size: GDAL's block cache is made small where the rasters
are tiled, unless GDAL_CACHEMAX is set.

--reference and --naive run the tree as it stands, slowly, as an independent check: --reference computes what the tree
means, --naive every step in turn, rounded to its type. --dtype float32 or float64 gives unrounded values, with NaN
where a pixel is invalid.`,
		func(cmd *cobra.Command, name string) error {
			if err := e.check(cmd); err != nil {
				return err
			}
			return e.run(cmd.Context(), name)
		})
	cmd.Example = `  rewarp eval tree.json -o out.tif
  rewarp eval tree.json -o out.tif --driver COG --co COMPRESS=ZSTD
  rewarp eval tree.json -o picture.png --stretch 0,1`
	e.add(cmd)
	f := cmd.Flags()
	f.StringVarP(&e.output, "output", "o", "", "the `FILE` to write")
	f.BoolVar(&e.reference, "reference", false, "compute the meaning of the tree as it stands, without rewriting")
	f.BoolVar(&e.naive, "naive", false, "run the tree as it stands, step by step, without rewriting")
	f.IntVar(&e.threads, "threads", runtime.GOMAXPROCS(0), "how many tiles to compute at a time")
	e.dtype.add(cmd, "the type of the samples written (default: the tree's own)")
	f.StringVar(&e.driver, "driver", "", "GDAL's `NAME` of the format, such as COG (default: by the extension)")
	f.StringArrayVar(&e.options, "co", nil, "a creation option of the format, `KEY=VALUE` (repeatable)")
	f.Var(&e.stretch, "stretch", "for a picture: scale the values from LO to HI to 0 to 255; auto takes the least and the greatest")
	f.StringVar(&e.channels, "channels", "", "the bands to write, a channel `SPEC` such as r|g|b")
	f.BoolVar(&e.asJSON, "json", false, "write what was done as JSON")
	complete(cmd, "driver", writers)
	complete(cmd, "stretch", func() []string { return []string{"auto", "0,1", "0,255"} })
	return cmd
}

func (e *evaluate) check(cmd *cobra.Command) error {
	switch {
	case e.output == "":
		return usagef(cmd, "-o FILE is missing: the raster to write")
	case e.output == "-":
		return usagef(cmd, "-o - : a raster is written to a file, not to standard output")
	case e.reference && e.naive:
		return usagef(cmd, "--reference and --naive exclude each other")
	case e.threads < 1:
		return usagef(cmd, "--threads %d: at least 1 is needed", e.threads)
	case e.stretch.set && e.dtype.value != "" && e.dtype.value != "uint8":
		return usagef(cmd, "--stretch writes uint8, --dtype asks for %s", e.dtype.value)
	}
	for _, o := range e.options {
		if k, _, ok := strings.Cut(o, "="); !ok || k == "" {
			return usagef(cmd, "--co %q: expected KEY=VALUE", o)
		}
	}
	return e.checkDriver(cmd)
}

func (e *evaluate) checkDriver(cmd *cobra.Command) error {
	if e.driver == "" || !rewarp.HasGDAL() {
		return nil
	}
	names := writers()
	if slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, e.driver) }) {
		return nil
	}
	return usagef(cmd, "--driver %q: GDAL %s writes no such format%s", e.driver, gdalio.Version(), didYouMean(e.driver, names))
}

// writers are the formats that GDAL writes.
func writers() []string {
	var names []string
	for _, d := range gdalio.Drivers() {
		if d.Create || d.CreateCopy {
			names = append(names, d.Name)
		}
	}
	return names
}

// evaluated is eval --json.
type evaluated struct {
	Output  string   `json:"output"`
	Size    [2]int   `json:"size"`
	Bands   []string `json:"bands"`
	Type    string   `json:"dtype"`
	Seconds float64  `json:"seconds"`
}

func (e *evaluate) run(ctx context.Context, name string) error {
	start := time.Now()
	if err := checkOutput(e.output); err != nil {
		return err
	}
	opener := e.opener()
	tree, err := e.app.loadTree(ctx, name, opener)
	if err != nil {
		return err
	}
	if e.channels != "" {
		if tree, err = ast.Select(tree, e.channels, ast.MissingIsError); err != nil {
			return inTree(name, err)
		}
	}
	pixels, done, err := e.pixels(ctx, tree, opener)
	if err != nil {
		return inTree(name, err)
	}
	defer done()
	if e.stretch.set {
		if pixels, err = e.stretch.apply(ctx, pixels); err != nil {
			return err
		}
	}
	if err := e.checkPicture(pixels); err != nil {
		return err
	}
	bar := e.app.progress(e.output, "px")
	err = rewarp.Save(ctx, pixels, e.output, rewarp.SaveOptions{
		Driver: e.driver, Options: e.options, Run: []eval.RunOption{eval.WithProgress(bar.update)},
	})
	bar.finish()
	if err != nil || !e.asJSON {
		return err
	}
	out := evaluated{
		Output: e.output, Size: [2]int{pixels.Size().W, pixels.Size().H}, Bands: []string{},
		Type: pixels.Type().String(), Seconds: time.Since(start).Seconds(),
	}
	for _, b := range pixels.Bands() {
		out.Bands = append(out.Bands, b.Name)
	}
	return e.app.writeJSON(out)
}

// checkOutput refuses what cannot be replaced by a finished file.
func checkOutput(path string) error {
	fi, err := os.Stat(path)
	switch {
	case err != nil || fi.Mode().IsRegular():
		return nil // what else is wrong shows when it is created
	case fi.IsDir():
		return fmt.Errorf("%s is a folder: name a file in it", path)
	}
	return fmt.Errorf("%s is a device or a pipe: a raster is finished under another name and moved in place, so name a file", path)
}

// pixels is the tree's raster, still to be computed for a plan.
func (e *evaluate) pixels(ctx context.Context, tree ast.Node, opener eval.Opener) (rewarp.Pixels, func(), error) {
	typ := e.dtype.get()
	if e.stretch.set {
		typ = raster.Float32
	}
	if e.reference || e.naive {
		p, err := e.judge(ctx, tree, typ, opener)
		return p, func() {}, err
	}
	s, err := e.session(ctx, opener, append(e.cacheOptions(tree), eval.WithThreads(e.threads))...)
	if err != nil {
		return nil, nil, err
	}
	var opts []eval.PlanOption
	if typ != raster.Unknown {
		opts = append(opts, eval.WithType(typ))
	}
	p, err := s.Plan(ctx, tree, opts...)
	if err != nil {
		s.Close()
		return nil, nil, err
	}
	return p, func() { s.Close() }, nil
}

// judge runs the tree as it stands.
func (e *evaluate) judge(ctx context.Context, tree ast.Node, typ raster.DataType, opener eval.Opener) (rewarp.Pixels, error) {
	if s := tree.Size(); float64(s.W)*float64(s.H)*float64(tree.NumBands()) > oracle.DefaultMaxSamples {
		return nil, fmt.Errorf("an output of %v pixels and %d bands is too large for --reference and --naive, which hold all of it: crop the tree, or leave them out",
			s, tree.NumBands())
	}
	r := eval.NewLeafReader(opener)
	defer r.Close()
	run := oracle.Reference
	if e.naive {
		run = oracle.Naive
	}
	res, err := run(ctx, tree, r, oracle.Options{})
	if err != nil {
		return nil, err
	}
	for i := 0; typ == raster.Unknown || e.dtype.value == "" && !e.stretch.set && i < len(res.Bands); i++ {
		typ = raster.Common(typ, res.Bands[i].Type)
	}
	return &judged{Result: res, typ: typ, geo: ast.GeoOf(tree)}, nil
}

// checkPicture refuses what a picture cannot hold, and says what to do.
func (e *evaluate) checkPicture(p rewarp.Pixels) error {
	format := e.pictureFormat()
	if format == "" {
		return nil
	}
	bands := p.Bands()
	if t := p.Type(); t != raster.Uint8 && (t != raster.Uint16 || format != "PNG") {
		return fmt.Errorf("%s holds no %v samples: add --stretch auto to scale the values to a picture, --dtype uint8 to round them, or write a .tif",
			format, t)
	}
	if n := len(bands); n != 1 && n != 3 && bands[n-1].Name != "alpha" {
		var names []string
		for _, b := range bands[:min(n, 8)] {
			names = append(names, b.Name)
		}
		return fmt.Errorf("a %s holds 1 or 3 bands, the tree has %d: pick some of %s with --channels, such as --channels %s",
			format, n, strings.Join(names, "|"), names[0])
	}
	return nil
}

func (e *evaluate) pictureFormat() string {
	switch {
	case strings.EqualFold(e.driver, "PNG") || strings.EqualFold(e.driver, "JPEG"):
		return strings.ToUpper(e.driver)
	case e.driver != "":
		return ""
	}
	i := strings.LastIndexByte(e.output, '.')
	switch strings.ToLower(e.output[i+1:]) {
	case "png":
		return "PNG"
	case "jpg", "jpeg":
		return "JPEG"
	}
	return ""
}

// emitter takes a tile; see eval.Plan.Stream.
type emitter = func(window image.Rectangle, tile *raster.Buffer) error
