package ast

import (
	_ "embed"
	"slices"
)

//go:embed schema/tree.schema.json
var schema []byte

// Schema is the JSON Schema, draft 2020-12, of tree files. It says what can be
// said without the files that a tree names; ParseJSON checks the rest.
func Schema() []byte { return slices.Clone(schema) }
