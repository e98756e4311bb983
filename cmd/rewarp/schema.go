package main

import (
	"bytes"

	"github.com/spf13/cobra"

	"github.com/rewarp/rewarp/ast"
)

func (a *app) schemaCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "schema", Short: "Print the JSON Schema of tree files", Args: nArgs(0, ""),
		Long: `schema prints the JSON Schema, draft 2020-12, of tree files, for editors and other tools.`,
		RunE: func(*cobra.Command, []string) error {
			return a.print(bytes.NewBuffer(ast.Schema()))
		},
	}
	cmd.Flags().Bool("json", true, "write JSON, which a schema is")
	return cmd
}
