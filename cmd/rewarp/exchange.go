package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/gdalio/vrt"
)

// noteJSON is something that was left out or taken to be so.
type noteJSON struct {
	Path   string `json:"path"`
	Op     string `json:"op"`
	Reason string `json:"reason"`
}

func notesOf(notes []vrt.Note) []noteJSON {
	out := []noteJSON{}
	for _, n := range notes {
		out = append(out, noteJSON(n))
	}
	return out
}

// tell writes notes to standard error, a line each.
func (a *app) tell(notes []vrt.Note) {
	for _, n := range notes {
		fmt.Fprintln(a.err, oneLine("note: "+n.String()))
	}
}

// imports is rewarp import.
type imports struct {
	sourceFlags
	app     *app
	from    choice
	offline bool
	output  string
	asJSON  bool
}

// importJSON is import --json.
type importJSON struct {
	Tree  any        `json:"tree"` // a tree file
	Notes []noteJSON `json:"notes"`
}

func (a *app) importCommand() *cobra.Command {
	i := &imports{app: a, from: choice{"auto", []string{"auto", "vrt", "nesting", "command"}}}
	cmd := &cobra.Command{
		Use: "import FILE | -- COMMAND...", Short: "Make a tree of a VRT, a GDAL command line, or delayed_image's nesting JSON",
		Long: `import writes the tree file of what others say in their own notation: a GDAL VRT, the JSON of delayed_image's nesting(),
or a command line of gdal_translate or gdalwarp, behind two dashes. FILE may be - for standard input.

What a tree cannot express is an error that lists all of it. What is left out, or was taken to be so, is noted on
standard error. Rasters are looked up, unless --offline is given.`,
		Example: `  rewarp import mosaic.vrt -o tree.json
  rewarp import -- gdal_translate -srcwin 0 0 128 128 -b 1 in.tif out.tif | rewarp dump -`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef(cmd, "missing FILE, or -- and the command line of gdal_translate or gdalwarp")
			}
			if len(args) > 1 && !isGDALCommand(args[0]) {
				return usagef(cmd, "unexpected argument %q; a command line begins with gdal_translate or gdalwarp, behind --", args[1])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return i.run(cmd.Context(), args) },
	}
	i.add(cmd)
	addChoice(cmd, &i.from, "from", "what FILE is")
	cmd.Flags().BoolVar(&i.offline, "offline", false, "look no raster up")
	cmd.Flags().StringVarP(&i.output, "output", "o", "", "write to a `FILE`")
	cmd.Flags().BoolVar(&i.asJSON, "json", false, "write the tree and the notes as JSON")
	return cmd
}

func isGDALCommand(name string) bool {
	return slices.Contains([]string{"gdal_translate", "gdalwarp"}, strings.TrimSuffix(filepath.Base(name), ".exe"))
}

func (i *imports) run(ctx context.Context, args []string) error {
	n, notes, err := i.read(ctx, args)
	if err != nil {
		return err
	}
	if !i.offline {
		if n, err = i.app.prepare(ctx, treeName(args[0]), n, i.opener()); err != nil {
			return err
		}
	}
	var opts []ast.WriteOption
	if i.output != "" {
		folder, err := filepath.Abs(filepath.Dir(i.output))
		if err != nil {
			return err
		}
		if n, err = absoluteURIs(n); err != nil {
			return err
		}
		opts = append(opts, ast.RelativeTo(folder))
	}
	data, err := marshalTree(n, opts...)
	if err != nil {
		return err
	}
	if i.output != "" {
		if err := writeFile(i.output, append(bytes.TrimSpace(data), '\n')); err != nil {
			return err
		}
	}
	switch {
	case i.asJSON:
		return i.app.writeJSON(importJSON{data, notesOf(notes)})
	case i.output == "":
		var b bytes.Buffer
		if err := ast.WriteJSON(&b, n, opts...); err != nil {
			return err
		}
		i.app.tell(notes)
		return i.app.print(&b)
	}
	i.app.tell(notes)
	return nil
}

func (i *imports) read(ctx context.Context, args []string) (ast.Node, []vrt.Note, error) {
	var describer ast.Describer
	if !i.offline {
		describer = i.opener()
	}
	if isGDALCommand(args[0]) && (len(args) > 1 || i.from.value == "command") {
		return vrt.ParseCommand(ctx, args, i.opener())
	}
	if i.from.value == "command" {
		return nil, nil, fmt.Errorf("%q is no command line of gdal_translate or gdalwarp", strings.Join(args, " "))
	}
	data, folder, err := i.app.readText(args[0])
	if err != nil {
		return nil, nil, err
	}
	from := i.from.value
	if from == "auto" {
		switch text := bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))); {
		case len(text) > 0 && text[0] == '<':
			from = "vrt"
		case isTreeFile(text):
			return nil, nil, fmt.Errorf("%s is a tree file already", treeName(args[0]))
		case len(text) > 0 && (text[0] == '{' || text[0] == '['):
			from = "nesting"
		default:
			return nil, nil, fmt.Errorf("%s is neither a VRT nor JSON; say what it is with --from", treeName(args[0]))
		}
	}
	var n ast.Node
	var notes []vrt.Note
	if from == "vrt" {
		n, notes, err = vrt.Read(ctx, bytes.NewReader(data), vrt.ReadOptions{Dir: folder, Describer: describer})
	} else {
		n, notes, err = vrt.ReadNesting(bytes.NewReader(data))
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", treeName(args[0]), err)
	}
	return n, notes, nil
}

// isTreeFile tells a tree file from a nesting.
func isTreeFile(text []byte) bool {
	var file struct {
		Version, Tree json.RawMessage
	}
	return json.Unmarshal(text, &file) == nil && file.Version != nil && file.Tree != nil
}

// readText reads a file, or standard input, up to the size that can be read.
func (a *app) readText(name string) (data []byte, folder string, err error) {
	r := a.in
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, "", err
		}
		defer f.Close()
		r, folder = f, filepath.Dir(name)
	}
	data, err = io.ReadAll(io.LimitReader(r, vrt.MaxBytes+1))
	return data, folder, err
}

// exports is rewarp export.
type exports struct {
	rewriteFlags
	app    *app
	to     choice
	before bool
	output string
	raster string
	vrt    string
	asJSON bool
}

// exportJSON is export --json.
type exportJSON struct {
	Format  string     `json:"format"`
	Text    string     `json:"text"`
	Command []string   `json:"command,omitempty"`
	Notes   []noteJSON `json:"notes"`
}

func (a *app) exportCommand() *cobra.Command {
	x := &exports{app: a, to: choice{"vrt", []string{"vrt", "command", "nesting"}}}
	cmd := a.treeCommand("export", "Write a tree as a VRT, a GDAL command line, or delayed_image's nesting JSON",
		`export rewrites a tree, and writes it as a GDAL VRT that any GDAL program reads to the same pixels, as a command line of
gdal_translate or gdalwarp that writes them, or as the JSON of delayed_image's nesting(). What the format cannot express
is an error that lists all of it, node by node. What differs a little is noted on standard error.`,
		func(cmd *cobra.Command, name string) error { return x.run(cmd.Context(), name) })
	cmd.Example = `  rewarp export tree.json -o tree.vrt && gdal_translate tree.vrt out.tif
  rewarp export tree.json --format command --raster out.tif | sh`
	x.add(cmd)
	addChoice(cmd, &x.to, "format", "how to write the tree")
	cmd.Flags().BoolVar(&x.before, "before", false, "write the tree as it stands")
	cmd.Flags().StringVarP(&x.output, "output", "o", "", "write to a `FILE`")
	cmd.Flags().StringVar(&x.raster, "raster", "out.tif", "the `FILE` that the command line writes")
	cmd.Flags().StringVar(&x.vrt, "vrt", "", "the `FILE` for a VRT that the command line may need (default: among its arguments)")
	cmd.Flags().BoolVar(&x.asJSON, "json", false, "write the text and the notes as JSON")
	return cmd
}

func (x *exports) run(ctx context.Context, name string) error {
	p, err := x.pipeline(ctx)
	if err != nil {
		return err
	}
	n, err := x.app.loadTree(ctx, name, x.opener())
	if err != nil {
		return err
	}
	before := n
	if !x.before {
		res, err := p.Optimize(n)
		if err != nil {
			return inTree(name, err)
		}
		n = res.Node
	}
	out := exportJSON{Format: x.to.value}
	b, notes, err := x.write(n, &out)
	if err != nil {
		return x.advise(before, err)
	}
	if x.output != "" {
		if err := writeFile(x.output, b.Bytes()); err != nil {
			return err
		}
	}
	if x.asJSON {
		out.Text, out.Notes = b.String(), notesOf(notes)
		return x.app.writeJSON(out)
	}
	x.app.tell(notes)
	if x.output != "" {
		return nil
	}
	return x.app.print(b)
}

// advise adds to an error what would do: the tree as it stands has no domain,
// which rewriting makes of inner canvases.
func (x *exports) advise(before ast.Node, err error) error {
	var unsupported *vrt.UnsupportedError
	if !x.before && errors.As(err, &unsupported) && x.to.value == "nesting" {
		if _, again := vrt.WriteNesting(io.Discard, before); again == nil {
			return &hinted{err, "the tree as it stands can be written: --before"}
		}
	}
	return err
}

func (x *exports) write(n ast.Node, out *exportJSON) (*bytes.Buffer, []vrt.Note, error) {
	var b bytes.Buffer
	switch x.to.value {
	case "nesting":
		notes, err := vrt.WriteNesting(&b, n)
		return &b, notes, err
	case "command":
		c, err := vrt.FormatCommand(n, vrt.CommandOptions{Output: x.raster, VRT: x.vrt})
		if err != nil {
			return nil, nil, err
		}
		if c.VRT != nil && x.vrt != "" {
			if err := writeFile(x.vrt, c.VRT); err != nil {
				return nil, nil, err
			}
		}
		out.Command = c.Args
		fmt.Fprintln(&b, c)
		return &b, c.Notes, nil
	}
	var o vrt.WriteOptions
	if x.output != "" {
		folder, err := filepath.Abs(filepath.Dir(x.output))
		if err != nil {
			return nil, nil, err
		}
		if n, err = absoluteURIs(n); err != nil {
			return nil, nil, err
		}
		o.Dir = folder
	}
	notes, err := vrt.Write(&b, n, o)
	return &b, notes, err
}
