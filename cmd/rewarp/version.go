package main

import (
	"bytes"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/gdalio"
)

// versionJSON is version --json.
type versionJSON struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	GDAL     string `json:"gdal,omitempty"`
	Tree     int    `json:"tree_version"`
}

func (a *app) versionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "version", Short: "Print the versions of rewarp, Go and GDAL", Args: nArgs(0, ""),
		RunE: func(*cobra.Command, []string) error {
			v := versions()
			if asJSON {
				return a.writeJSON(v)
			}
			return a.print(bytes.NewBufferString(v.text() + "\n"))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return cmd
}

// text is the versions on one line.
func (v versionJSON) text() string {
	revision, gdal := "", "no GDAL"
	if v.Revision != "" {
		revision = fmt.Sprintf(" (%.12s)", v.Revision)
	}
	if v.GDAL != "" {
		gdal = "GDAL " + v.GDAL
	}
	return fmt.Sprintf("rewarp %s%s, %s %s, %s, tree files of version %d", v.Version, revision, v.Go, v.Platform, gdal, v.Tree)
}

func versions() versionJSON {
	v := versionJSON{
		Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		GDAL: gdalio.Version(), Tree: ast.FileVersion,
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if info.Main.Version != "" {
		v.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}
