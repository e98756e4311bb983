package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/rewarp/rewarp/ast"
)

func (a *app) infoCommand() *cobra.Command {
	var asJSON bool
	var sources sourceFlags
	cmd := &cobra.Command{
		Use: "info FILE", Short: "Show the metadata that a load would carry",
		Long: `info shows what is known of a raster without reading a pixel: size, bands, nodata, the sizes of the overviews that the
file really has, blocks, mask, place in the world. With --json it is the load of a tree file, which can be rewritten
where the file is not at hand.`,
		Args: nArgs(1, "FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			meta, err := sources.opener().Describe(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			l, err := ast.NewLoadMeta(args[0], "", meta)
			if err != nil {
				return err
			}
			if asJSON {
				return a.loadJSON(l)
			}
			var b bytes.Buffer
			describe(&b, args[0], meta)
			return a.print(&b)
		},
	}
	sources.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "write the load of a tree file")
	return cmd
}

// loadJSON writes a load as it stands in a tree file.
func (a *app) loadJSON(l *ast.Load) error {
	data, err := ast.MarshalTree(l)
	if err != nil {
		return err
	}
	var file struct{ Tree json.RawMessage }
	if err := json.Unmarshal(data, &file); err != nil {
		return err
	}
	return a.writeJSON(file.Tree)
}

func describe(b *bytes.Buffer, uri string, m ast.Meta) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	defer w.Flush()
	fmt.Fprintf(w, "file\t%s\n", uri)
	fmt.Fprintf(w, "size\t%v\n", m.Size)
	for i, band := range m.Bands {
		head := ""
		if i == 0 {
			head = "bands"
		}
		noData := ""
		if band.HasNoData {
			noData = ", nodata " + strconv.FormatFloat(band.NoData, 'g', -1, 64)
		}
		if len(m.Bands) > 20 && i == 16 {
			fmt.Fprintf(w, "\tand %d more\n", len(m.Bands)-i)
			break
		}
		fmt.Fprintf(w, "%s\t%s %v%s\n", head, band.Name, band.Type, noData)
	}
	var levels []string
	for _, s := range m.Overviews {
		levels = append(levels, s.String())
	}
	if len(levels) == 0 {
		levels = []string{"none"}
	}
	fmt.Fprintf(w, "overviews\t%s\n", strings.Join(levels, ", "))
	if m.Block.W > 0 {
		fmt.Fprintf(w, "blocks\t%v\n", m.Block)
	}
	mask := "none"
	if m.HasMask {
		mask = "yes"
	}
	fmt.Fprintf(w, "mask\t%s\n", mask)
	if m.Geo == nil {
		fmt.Fprintf(w, "place\tnot georeferenced\n")
		return
	}
	t := m.Geo.Transform
	fmt.Fprintf(w, "place\tx = %g·col + %g·row + %g, y = %g·col + %g·row + %g\n", t[0], t[1], t[2], t[3], t[4], t[5])
	if name := srsName(m.Geo.SRS); name != "" {
		fmt.Fprintf(w, "reference\t%s\n", name)
	}
}

// srsName is the name in a reference system's WKT: its first quoted text.
func srsName(wkt string) string {
	_, rest, ok := strings.Cut(wkt, `"`)
	if !ok {
		return wkt
	}
	name, _, _ := strings.Cut(rest, `"`)
	return name
}
