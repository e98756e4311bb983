package vrt

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
)

// ParseCommand reads the arguments of a gdal_translate or gdalwarp, the
// program's name first, as the tree of what it writes. The metadata of the file
// that it reads comes from the describer.
//
// Of gdal_translate it knows -b, -srcwin, -outsize, -r, -ot, -scale, -a_nodata
// and -ovr; of gdalwarp -ts, -te, -tr, -r, -ot, -srcnodata, -dstnodata, -ovr
// and the warp options XSCALE and YSCALE. Options about the output file are left
// out. A reprojection and the like has no form in a tree, and is listed in an
// *UnsupportedError.
func ParseCommand(ctx context.Context, args []string, d ast.Describer) (ast.Node, []Note, error) {
	if len(args) == 0 {
		return nil, nil, errors.New("no command to read")
	}
	if d == nil {
		return nil, nil, errors.New("a command cannot be read without the metadata of its file")
	}
	c := &command{
		tool: strings.TrimSuffix(filepath.Base(args[0]), ".exe"), values: map[string][]string{},
		importer: importer{ctx: ctx, opts: ReadOptions{Describer: d}, left: &budget{maxElements}, loads: map[string]*ast.Load{}},
	}
	read, ok := map[string]func(*command) (*elem, error){"gdal_translate": (*command).translate, "gdalwarp": (*command).warp}[c.tool]
	if !ok {
		return nil, nil, fmt.Errorf("%s is not a command that a tree can stand for, expected gdal_translate or gdalwarp", quote(args[0]))
	}
	if err := c.parse(args[1:]); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", c.tool, err)
	}
	var root *elem
	if len(c.unsupported) == 0 {
		var err error
		if root, err = read(c); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", c.tool, err)
		}
	}
	var n ast.Node
	if root != nil && len(c.unsupported) == 0 {
		said := len(c.notes)
		v, err := c.dataset(root, "", 0)
		if err != nil {
			return nil, nil, err
		}
		if v != nil && len(c.unsupported) == 0 {
			n = c.settle(v)
		}
		c.notes = plain(c.notes, said)
		c.unsupported = plain(c.unsupported, 0)
	}
	if err := c.err(c.tool, true); err != nil {
		return nil, nil, err
	}
	return n, c.notes, nil
}

// plain drops the paths of notes, which are in no text that a user has, and
// repeats.
func plain(notes []Note, from int) []Note {
	out := notes[:from:from]
	seen := map[string]bool{}
	for _, n := range notes[from:] {
		if !seen[n.Reason] {
			seen[n.Reason] = true
			out = append(out, Note{Op: n.Op, Reason: n.Reason})
		}
	}
	return out
}

// command is a command line on the way to the VRT that says the same.
type command struct {
	importer
	tool   string
	values map[string][]string // of each option that was given
	bands  []string            // of each -b
	files  []string
}

// arity is how many values an option takes; many is any number up to four.
const many = -1

// known are the options that a tree has a form for, and ignored those that
// concern the output file only.
var known = map[string]map[string]int{
	"gdal_translate": {"-b": 1, "-srcwin": 4, "-outsize": 2, "-r": 1, "-ot": 1, "-scale": many, "-a_nodata": 1, "-ovr": 1},
	"gdalwarp":       {"-ts": 2, "-te": 4, "-tr": 2, "-r": 1, "-ot": 1, "-srcnodata": 1, "-dstnodata": 1, "-ovr": 1, "-wo": 1, "-to": 1},
}

var ignored = map[string]int{
	"-q": 0, "-quiet": 0, "-of": 1, "-co": 1, "-stats": 0, "-strict": 0, "--config": 2, "-mo": 1, "-if": 1,
	"-overwrite": 0, "-multi": 0, "-wm": 1, "-wt": 1, "-et": 1, "-nomd": 0, "-cvmd": 1, "-setci": 0, "-doo": 1,
	"-norat": 0, "-noxmp": 0, "-nogcp": 0, "-a_srs": 1, "-a_ullr": 4, "-a_scale": 1, "-a_offset": 1,
}

// parse sorts the arguments.
func (c *command) parse(args []string) error {
	for i := 0; i < len(args); i++ {
		a := args[i]
		if !strings.HasPrefix(a, "-") || isNumber(a) {
			c.files = append(c.files, a)
			continue
		}
		n, ok := known[c.tool][a]
		skip := 0
		if !ok {
			if skip, ok = ignored[a]; !ok {
				c.refuse("", a, "%s has no form in a tree", a)
				for i+1 < len(args)-1 && (!strings.HasPrefix(args[i+1], "-") || isNumber(args[i+1])) && len(args)-i > 3 {
					i++ // its values, as far as one can tell
				}
				continue
			}
			n = skip
		}
		if n == many {
			n = 0
			for n < 4 && i+1+n < len(args) && isNumber(args[i+1+n]) {
				n++
			}
		}
		if i+n >= len(args) {
			return fmt.Errorf("%s takes %d values", a, n)
		}
		values := args[i+1 : i+1+n]
		i += n
		switch {
		case skip > 0 || n == 0 && a != "-scale":
		case a == "-b":
			c.bands = append(c.bands, values...)
		case a == "-wo" || a == "-to":
			c.values[a] = append(c.values[a], values...)
		default:
			c.values[a] = values
			if n == 0 {
				c.values[a] = []string{}
			}
		}
	}
	switch len(c.files) {
	case 2:
	case 0, 1:
		return errors.New("an input and an output file are missing")
	default:
		if c.tool == "gdal_translate" {
			return fmt.Errorf("%d file names, expected an input and an output", len(c.files))
		}
		c.refuse("", "input", "a mosaic of %d files has no form in a tree", len(c.files)-1)
	}
	return nil
}

func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}

// source opens the input, at the level of -ovr.
func (c *command) source() (l *ast.Load, level int, size geom.Size, err error) {
	meta, err := c.opts.Describer.Describe(c.ctx, c.files[0])
	if err != nil {
		return nil, 0, size, err
	}
	if l, err = ast.NewLoadMeta(c.files[0], "", meta); err != nil {
		return nil, 0, size, err
	}
	size = l.Size()
	if v, ok := c.values["-ovr"]; ok {
		switch k, err := strconv.Atoi(v[0]); {
		case err == nil && k >= 0 && k < l.NumOverviews():
			level = k + 1
			size, _ = l.LevelSize(level)
		case err == nil:
			c.refuse("", "-ovr", "%s stores %d overviews, -ovr asks for number %d from 0", quote(c.files[0]), l.NumOverviews(), k)
		case strings.EqualFold(v[0], "NONE"):
		case strings.EqualFold(v[0], "AUTO"):
			c.noteOverviews(l)
		default:
			c.refuse("", "-ovr", "-ovr %s has no form in a tree", v[0])
		}
	}
	return l, level, size, nil
}

func (c *command) noteOverviews(l *ast.Load) {
	if l.NumOverviews() > 0 {
		c.note("", "-ovr", "GDAL shrinks from an overview that is fine enough; the tree means full resolution")
	}
}

// floats reads the values of an option.
func (c *command) floats(option string) ([]float64, error) {
	var out []float64
	for _, s := range c.values[option] {
		v, err := number(s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", option, err)
		}
		out = append(out, v)
	}
	return out, nil
}

// outputType is the type that -ot asks for, or the file's.
func (c *command) outputType(b ast.Band) (string, error) {
	v, ok := c.values["-ot"]
	if !ok {
		return gdalType(b.Type), nil
	}
	t, ok := parseGDALType(v[0])
	if !ok {
		return "", fmt.Errorf("-ot %s is not a type that a tree has", quote(v[0]))
	}
	return gdalType(t), nil
}
