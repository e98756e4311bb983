package vrt

import (
	"errors"
	"fmt"
	"image"
	"strconv"
	"strings"

	"github.com/rewarp/rewarp/ast"
)

// CommandOptions say what a command names its files.
type CommandOptions struct {
	Output string // the file that the command writes

	// VRT names a file for the VRT that a tree may need in between. Empty, the
	// VRT stands among the arguments.
	VRT string
}

// Command is a command line that writes the pixels of a tree.
type Command struct {
	Args  []string // the program's name first
	VRT   []byte   // what the file CommandOptions.VRT has to hold, nil if it is not needed
	Notes []Note
}

// FormatCommand is the command line that writes the pixels of a tree whose
// metadata is known: a gdal_translate or gdalwarp of the file itself where that
// can say it, else a gdal_translate of a VRT. It fails as Write does.
func FormatCommand(n ast.Node, opts CommandOptions) (Command, error) {
	if opts.Output == "" {
		return Command{}, errors.New("no output file to write to")
	}
	e, root, err := export(n, WriteOptions{})
	if err != nil {
		return Command{}, err
	}
	c := Command{Notes: e.notes}
	if args := e.translateArgs(n, opts); args != nil {
		c.Args = args
		return c, nil
	}
	if args := e.warpArgs(n, opts); args != nil {
		c.Args = args
		return c, nil
	}
	if opts.VRT == "" {
		c.Args = []string{"gdal_translate", root.String(), opts.Output}
		return c, nil
	}
	var b strings.Builder
	root.write(&b, 0)
	c.VRT = []byte(b.String() + "\n")
	c.Args = []string{"gdal_translate", opts.VRT, opts.Output}
	return c, nil
}

// argument reports whether a uri can stand as a file name among arguments.
func argument(uri string) bool { return uri != "" && uri[0] != '-' && writable(uri) }

// translateArgs is a gdal_translate of one file, or nil.
func (e *exporter) translateArgs(n ast.Node, opts CommandOptions) []string {
	first := follow(n, 0, nil, "")
	l, ok := first.node.(*ast.Load)
	if !ok || !argument(l.URI()) || first.show != n.Size().Bounds() {
		return nil
	}
	var picks []string
	whole := n.NumBands() == l.NumBands()
	for i := range n.NumBands() {
		p := follow(n, i, nil, "")
		if p.node != first.node || p.off != first.off || p.show != first.show || quantKey(p.q) != quantKey(first.q) {
			return nil
		}
		whole = whole && p.band == i
		picks = append(picks, "-b", strconv.Itoa(p.band+1))
	}
	args := []string{"gdal_translate"}
	if w := first.show.Sub(first.off); w != l.Size().Bounds() {
		args = append(args, "-srcwin", strconv.Itoa(w.Min.X), strconv.Itoa(w.Min.Y), strconv.Itoa(w.Dx()), strconv.Itoa(w.Dy()))
	}
	if !whole {
		args = append(args, picks...)
	}
	if q := first.q; q != nil {
		if q.HasNoData || l.HasMask() {
			return nil
		}
		for i := range l.NumBands() {
			if l.Band(i).HasNoData {
				return nil
			}
		}
		args = append(args, "-ot", gdalType(q.OrigType), "-scale", format(q.QuantMin), format(q.QuantMax), format(q.OrigMin), format(q.OrigMax))
	}
	return append(args, l.URI(), opts.Output)
}

// warpArgs is a gdalwarp of one georeferenced file along its axes, or nil.
func (e *exporter) warpArgs(n ast.Node, opts CommandOptions) []string {
	planes := make([]plane, n.NumBands())
	bands := make([]int, n.NumBands())
	for i := range planes {
		planes[i], bands[i] = follow(n, i, nil, ""), i
	}
	g := e.warps(planes)[0].group
	if g == nil || g.q != nil || g.size != n.Size() || e.marks(n, bands, planes) {
		return nil
	}
	l, ok := g.input.(*ast.Load)
	if !ok || !argument(l.URI()) || l.HasMask() || !plainLoad(l) || l.Size().W == 1 || l.Size().H == 1 || len(g.bands) != l.NumBands() {
		return nil
	}
	for i, p := range planes {
		if g.bands[i].band != i || p.node != planes[0].node || p.off != (image.Point{}) || p.show != n.Size().Bounds() {
			return nil
		}
	}
	meta, _ := l.Meta()
	if meta.Geo == nil {
		return nil
	}
	grid := meta.Geo.Transform.Mul(g.nudged())
	if grid[1] != 0 || grid[3] != 0 || grid[0] <= 0 || grid[4] >= 0 {
		return nil
	}
	kernel, _ := kernelNames(g.sampling.Interp)
	fx, fy := g.sampling.Stretch(g.inv.Jacobian(0, 0))
	x, y := grid.Apply(float64(g.size.W), float64(g.size.H))
	args := []string{
		"gdalwarp", "-ovr", "NONE", "-et", "0", "-r", kernel,
		"-te", format(grid[2]), format(y), format(x), format(grid[5]),
		"-ts", strconv.Itoa(g.size.W), strconv.Itoa(g.size.H),
		"-wo", "XSCALE=" + format(1/fx), "-wo", "YSCALE=" + format(1/fy), "-wt", "Float64",
	}
	unified := "NO"
	if len(g.bands) == 1 {
		unified = "YES"
	}
	args = append(args, "-wo", "UNIFIED_SRC_NODATA="+unified)
	values := func(in bool) (string, bool) {
		var out []string
		for i, b := range g.bands {
			f := b.format
			if in {
				f = formatOf(l, i, rounded)
			}
			if !f.has {
				return "", false
			}
			out = append(out, format(f.nodata))
		}
		return strings.Join(out, " "), true
	}
	if v, ok := values(true); ok {
		args = append(args, "-srcnodata", v)
	}
	if v, ok := values(false); ok {
		args = append(args, "-dstnodata", v)
	}
	return append(args, l.URI(), opts.Output)
}

// String is the command as a line for a POSIX shell.
func (c Command) String() string {
	parts := make([]string, len(c.Args))
	for i, a := range c.Args {
		parts[i] = shellQuote(a)
	}
	return strings.Join(parts, " ")
}

func shellQuote(s string) string {
	plain := s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-+=./:,%@", r))
	})
	if plain {
		return s
	}
	return fmt.Sprintf("'%s'", strings.ReplaceAll(s, "'", `'\''`))
}
