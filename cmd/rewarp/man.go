package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/rewarp/rewarp/internal/oserr"
)

// manJSON is man --json.
type manJSON struct {
	Files []string `json:"files"`
}

func (a *app) manCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "man DIR", Short: "Write the manual pages of all commands",
		Long: `man writes a manual page for each command into a folder, which is made if it is not there:

  rewarp man ~/.local/share/man/man1 && man rewarp-dump`,
		Args: nArgs(1, "DIR: the folder of the pages"),
		RunE: func(cmd *cobra.Command, args []string) error {
			files, err := writePages(cmd.Root(), args[0])
			if err != nil || !asJSON {
				return err
			}
			return a.writeJSON(manJSON{files})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write the names of the pages as JSON")
	return cmd
}

func writePages(root *cobra.Command, dir string) ([]string, error) {
	v := versions()
	date := pageDate()
	header := &doc.GenManHeader{Title: "REWARP", Section: "1", Source: "rewarp " + v.Version, Manual: "rewarp", Date: &date}
	// Pages do not tell when they were made, so that equal programs give equal ones.
	root.DisableAutoGenTag = true
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("cannot write to %s: %w", dir, oserr.Cause(err))
	}
	if err := doc.GenManTree(root, header, dir); err != nil {
		return nil, fmt.Errorf("cannot write to %s: %w", dir, oserr.Cause(err))
	}
	return filepath.Glob(filepath.Join(dir, "rewarp*.1"))
}

// pageDate is the commit's, so that pages are reproducible.
func pageDate() time.Time {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.time" {
				if t, err := time.Parse(time.RFC3339, s.Value); err == nil {
					return t
				}
			}
		}
	}
	return time.Unix(0, 0).UTC()
}
