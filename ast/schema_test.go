package ast_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
)

func compileSchema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(ast.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("tree.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("tree.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(s *jsonschema.Schema, file []byte) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(file))
	if err != nil {
		return err
	}
	return s.Validate(v)
}

func TestSchemaAcceptsTheSamples(t *testing.T) {
	s := compileSchema(t)
	for _, f := range sampleTrees(t) {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(s, data); err != nil {
			t.Errorf("%s: %v", filepath.Base(f), err)
		}
	}
}

func TestSchemaAcceptsWhatIsWritten(t *testing.T) {
	s := compileSchema(t)
	rapid.Check(t, func(t *rapid.T) {
		data, err := ast.MarshalTree(asttest.Tree(asttest.Options{}).Draw(t, "tree"))
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(s, data); err != nil {
			t.Fatalf("%v in\n%s", err, data)
		}
	})
}

// TestSchemaAgreesWithTheReader holds the files of testdata/json against the
// schema: what the reader takes, it takes, and what the reader refuses for its
// form, it refuses. The words below mark what only the reader can know.
func TestSchemaAgreesWithTheReader(t *testing.T) {
	s := compileSchema(t)
	beyond := []string{
		"name in \"defs\"", "cycle", "exceeds canvas", "is singular", "is dequantized already", "channel spec",
		"each of 2 bands", "names 3 bands", "does not fit", "a second", "base64", "custom nodes need",
		"range of float64", "bad escape",
	}
	datadriven.Walk(t, "testdata/json", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			_, err := ast.ParseJSON([]byte(d.Input))
			schemaErr := validate(s, []byte(d.Input))
			if err == nil && schemaErr != nil {
				t.Errorf("%s: the schema refuses what the reader takes: %v", d.Pos, schemaErr)
			}
			if err != nil && schemaErr == nil {
				known := false
				for _, b := range beyond {
					known = known || strings.Contains(err.Error(), b)
				}
				if !known {
					t.Errorf("%s: the schema takes what the reader refuses: %v", d.Pos, err)
				}
			}
			return d.Expected
		})
	})
}
